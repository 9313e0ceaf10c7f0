package settings_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/settings"
)

func TestAnOwnSystemIsAChoiceLikeABuiltInOne(t *testing.T) {
	const acme = `{"system": "acme", "title": "Acme", "prefixes": ["acme:"], "carries": {"server": []}, "bindings": [
		{"signal": "kv_transfer_byte_rate", "role": "prefill", "shape": "shard", "names": ["moved_bytes_total"], "type": "counter", "from": "server"}]}`
	for name, text := range map[string]string{
		"as an object": `{"kvSource": "acme", "catalog": {"systems": [` + acme + `]}}`,
		"as a text":    `{"kvSource": "acme", "catalog": "systems:\n  - system: acme\n    title: Acme\n    carries: {server: []}\n    bindings: [{signal: kv_transfer_byte_rate, role: prefill, shape: shard, names: [moved_bytes_total], type: counter, from: server}]"}`,
	} {
		t.Run(name, func(t *testing.T) {
			s, err := settings.FromInstance(t.Context(), instance(text))
			require.NoError(t, err)
			require.Equal(t, "acme", s.KVSource)
			system, ok := s.Catalog.System("acme")
			require.True(t, ok)
			require.Equal(t, "Acme", system.Title)
		})
	}
	s, err := settings.FromInstance(t.Context(), instance(`{"catalog": ""}`))
	require.NoError(t, err)
	require.Nil(t, s.Catalog)
}
