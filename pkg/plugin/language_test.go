package plugin_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The front end says in which language a query is read; who says nothing reads English.
func TestNoticesAreInTheReadersLanguage(t *testing.T) {
	r := theDefaultCluster(t)
	for language, want := range map[string]string{
		"": "read from", "en-US": "read from", "zh-Hans": "读自",
	} {
		q := map[string]any{"schemaVersion": 1, "queryType": "signal", "signal": "kv_transfer_byte_rate", "language": language}
		text, err := json.Marshal(q)
		require.NoError(t, err)
		dq := r.query(t, query.Query{Signal: "ttft"}, settled, ended)
		dq.JSON, dq.Interval = text, time.Second
		got := respond(t, r.source, dq)
		require.NoError(t, got.Error)
		codes := map[string]string{}
		for _, n := range plugin.Notices(got.Frames) {
			codes[n.Code] = n.Text
		}
		require.Contains(t, codes["read-from"], want)
	}
}
