package dashboards_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
)

func TestAViewerAsksWhatIsInSightWithoutVariables(t *testing.T) {
	for name, b := range load(t) {
		panels, err := dashboards.Asked(name)
		require.NoError(t, err)
		inSight := 0
		for _, p := range b.Panels {
			if len(p.Targets) == 0 {
				continue
			}
			want := p.targets(t)
			require.Len(t, panels[inSight], len(want), p.Title)
			for i, q := range panels[inSight] {
				require.Equal(t, want[i].Query, q, p.Title)
				text, err := json.Marshal(q)
				require.NoError(t, err)
				require.NotContains(t, string(text), "$", p.Title)
			}
			inSight++
		}
		require.Len(t, panels, inSight, name)
	}
	_, err := dashboards.Asked("other.json")
	require.ErrorContains(t, err, `"other.json"`)
}
