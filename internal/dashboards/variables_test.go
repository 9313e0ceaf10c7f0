package dashboards_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestVariablesComeFromThePlugin(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	for path, b := range load(t) {
		require.Equal(t, "datasource", b.Templating.List[0].Name, "%s: the others depend on it", path)
		require.JSONEq(t, `"`+pluginID+`"`, string(b.Templating.List[0].Query))
		for _, v := range b.Templating.List[1:] {
			if v.Type != "query" {
				continue
			}
			require.Equal(t, &ref{pluginID, "${datasource}"}, v.Datasource, v.Name)
			require.True(t, v.Multi && v.IncludeAll, v.Name)
			require.Equal(t, 1, v.Refresh, "%s would be asked for at every refresh", v.Name)
			require.Equal(t, ".*", v.AllValue, "%s: the front end drops a filter with this value", v.Name)
			var asked struct{ Label, Signal string }
			require.NoError(t, json.Unmarshal(v.Query, &asked))
			require.Contains(t, []string{"model", "instance"}, asked.Label)
			if asked.Signal != "" {
				_, ok := signals.Signal(asked.Signal)
				require.True(t, ok, "%s asks for the values of %s", v.Name, asked.Signal)
			}
		}
	}
}

// variablesOf are the variables that the queries of a board use.
func variablesOf(t *testing.T, b board) map[string]bool {
	t.Helper()
	used := map[string]bool{}
	for _, p := range b.asking() {
		for _, raw := range p.Targets {
			var target struct {
				Filters         []query.Filter
				Role            string
				BytesPerRequest string
			}
			require.NoError(t, json.Unmarshal(raw, &target))
			texts := []string{target.Role, target.BytesPerRequest}
			for _, f := range target.Filters {
				texts = append(texts, f.Values...)
			}
			for _, text := range texts {
				if len(text) > 1 && text[0] == '$' {
					used[text[1:]] = true
				}
			}
		}
	}
	return used
}

func TestEveryVariableIsUsedAndEveryUsedOneIsThere(t *testing.T) {
	for name, b := range load(t) {
		var offered []string
		for _, v := range b.Templating.List[1:] {
			offered = append(offered, v.Name)
		}
		var used []string
		for v := range variablesOf(t, b) {
			used = append(used, v)
		}
		slices.Sort(offered)
		slices.Sort(used)
		require.Equal(t, used, offered, name)
	}
}

func TestTargetsObeyTheVariablesWhoseLabelsTheirSignalHas(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	for _, p := range asking(t) {
		for _, raw := range p.Targets {
			var target struct {
				Signal    string
				QueryType query.Type
				Filters   []query.Filter
			}
			require.NoError(t, json.Unmarshal(raw, &target))
			if target.QueryType == query.TypeInventory {
				continue
			}
			signal, ok := signals.Signal(target.Signal)
			require.True(t, ok, target.Signal)
			by := map[string]string{}
			for _, f := range target.Filters {
				require.Equal(t, query.OpEqual, f.Op)
				by[f.Label] = f.Values[0]
			}
			labels := signals.LabelsOf(signal)
			switch signal.Group {
			case "GPU":
				require.Equal(t, map[string]string{"instance": "$gpu_host"}, by, p.Title)
			case "Network":
				require.Equal(t, map[string]string{"instance": "$nic_host"}, by, p.Title)
			case "Gateway":
				require.Equal(t, slices.Contains(labels, "model"), by["model"] == "$model", p.Title)
				require.NotContains(t, by, "instance", "%s: the gateway is no engine", p.Title)
			default:
				require.Equal(t, slices.Contains(labels, "model"), by["model"] == "$model", p.Title)
				require.Equal(t, "$instance", by["instance"], p.Title)
			}
		}
	}
}

func TestAWhatIfIsOfferedWhereTheSizeOfARequestMatters(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	for name, b := range load(t) {
		sized := false
		for _, p := range b.asking() {
			for _, q := range p.targets(t) {
				if signal, ok := signals.Signal(q.Signal); ok {
					sized = sized || signal.PerRequestSize
				}
			}
		}
		require.Equal(t, sized, slices.ContainsFunc(b.Templating.List, func(v variable) bool { return v.Type == "textbox" }), name)
	}
}
