package dashboards_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/dashboards"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const (
	shipped  = "../../dashboards"
	pluginID = "ptd-pdmonitor-datasource"
)

// board is what the tests read of a dashboard's JSON.
type board struct {
	UID        string  `json:"uid"`
	Title      string  `json:"title"`
	Refresh    string  `json:"refresh"`
	Panels     []panel `json:"panels"`
	Time       struct{ From, To string }
	Timepicker struct {
		RefreshIntervals []string `json:"refresh_intervals"`
	} `json:"timepicker"`
	Templating struct {
		List []variable `json:"list"`
	} `json:"templating"`
}

type variable struct {
	Name       string          `json:"name"`
	Type       string          `json:"type"`
	Query      json.RawMessage `json:"query"`
	Datasource *ref            `json:"datasource"`
	Multi      bool            `json:"multi"`
	IncludeAll bool            `json:"includeAll"`
	AllValue   string          `json:"allValue"`
	Refresh    int             `json:"refresh"`
}

type ref struct{ Type, UID string }

type panel struct {
	ID          int                      `json:"id"`
	Type        string                   `json:"type"`
	Title       string                   `json:"title"`
	Description string                   `json:"description"`
	Datasource  *ref                     `json:"datasource"`
	GridPos     struct{ X, Y, W, H int } `json:"gridPos"`
	Targets     []json.RawMessage        `json:"targets"`
	FieldConfig struct {
		Defaults struct {
			Unit string `json:"unit"`
		} `json:"defaults"`
		Overrides []override `json:"overrides"`
	} `json:"fieldConfig"`
}

type override struct {
	Matcher    struct{ ID, Options string }
	Properties []struct {
		ID    string
		Value struct{ Mode, FixedColor string }
	}
}

func load(t *testing.T) map[string]board {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(shipped, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	boards := map[string]board{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var b board
		require.NoError(t, json.Unmarshal(text, &b), path)
		boards[path] = b
	}
	return boards
}

// graphs are the panels of all boards that show data.
func graphs(t *testing.T) []panel {
	t.Helper()
	var found []panel
	for _, b := range load(t) {
		for _, p := range b.Panels {
			if p.Type != "row" {
				found = append(found, p)
			}
		}
	}
	require.NotEmpty(t, found)
	return found
}

// expanded puts values in the place of the dashboard's variables, as the front end does.
func expanded(target json.RawMessage) []byte {
	return []byte(strings.NewReplacer("$model", "meta-llama/Llama-3.1-70B", "$instance", "decode-0:8000", "$bytesPerRequest", "").Replace(string(target)))
}

func TestTheShippedFilesAreWhatTheCodeWrites(t *testing.T) {
	files, err := dashboards.Files()
	require.NoError(t, err)
	entries, err := os.ReadDir(shipped)
	require.NoError(t, err)
	require.Len(t, entries, len(files), "a file in dashboards/ that no code writes")
	for name, want := range files {
		have, err := os.ReadFile(filepath.Join(shipped, name))
		require.NoError(t, err)
		require.Equal(t, string(want), string(have), "%s is stale: run go tool mage dashboards", name)
	}
}

func TestUIDsAndTitlesAreUnique(t *testing.T) {
	uids, titles := map[string]bool{}, map[string]bool{}
	for path, b := range load(t) {
		require.NotEmpty(t, b.UID, path)
		require.NotEmpty(t, b.Title, path)
		require.False(t, uids[b.UID], "uid %s occurs twice: Grafana then loads neither", b.UID)
		require.False(t, titles[b.Title], "title %s occurs twice: Grafana then loads neither", b.Title)
		uids[b.UID], titles[b.Title] = true, true
	}
}

func TestFilesHoldNothingThatOnlyAnImportReplaces(t *testing.T) {
	for path := range load(t) {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NotContains(t, string(text), "${DS_", path)
		require.NotContains(t, string(text), "__inputs", path)
		require.NotContains(t, string(text), `"datasource": null`, path)
	}
}

func TestDashboardsRefreshEverySecond(t *testing.T) {
	for path, b := range load(t) {
		require.Equal(t, "1s", b.Refresh, path)
		require.Contains(t, b.Timepicker.RefreshIntervals, "1s", "%s: without it a refresh of 1s has no effect", path)
		require.Equal(t, "now-5m", b.Time.From, path)
		require.Equal(t, "now", b.Time.To, path)
	}
}

func TestVariablesComeFromThePlugin(t *testing.T) {
	for path, b := range load(t) {
		names := map[string]variable{}
		for _, v := range b.Templating.List {
			names[v.Name] = v
		}
		require.Equal(t, "datasource", b.Templating.List[0].Name, "%s: the others depend on it", path)
		require.JSONEq(t, `"`+pluginID+`"`, string(names["datasource"].Query))
		for _, label := range []string{"model", "instance"} {
			v := names[label]
			require.Equal(t, &ref{pluginID, "${datasource}"}, v.Datasource, label)
			require.True(t, v.Multi && v.IncludeAll, label)
			require.Equal(t, 1, v.Refresh, "%s would be asked for at every refresh", label)
			require.Equal(t, ".*", v.AllValue, "%s: the front end drops a filter with this value", label)
			var asked struct{ Label string }
			require.NoError(t, json.Unmarshal(v.Query, &asked))
			require.Equal(t, label, asked.Label)
		}
	}
}

func TestPanelsNameTheDataSourceByVariable(t *testing.T) {
	want := &ref{pluginID, "${datasource}"}
	for _, p := range graphs(t) {
		require.Equal(t, want, p.Datasource, p.Title)
		for _, raw := range p.Targets {
			var target struct{ Datasource *ref }
			require.NoError(t, json.Unmarshal(raw, &target))
			require.Equal(t, want, target.Datasource, p.Title)
		}
	}
}

func TestPanelsSayHowToReadThemAndWhatTheyCannotTell(t *testing.T) {
	for _, p := range graphs(t) {
		reads, silent, ok := strings.Cut(p.Description, "\n\n**What it cannot tell:** ")
		require.True(t, ok, p.Title)
		reads, ok = strings.CutPrefix(reads, "**How to read it:** ")
		require.True(t, ok, p.Title)
		require.Greater(t, len(reads), 40, p.Title)
		require.Greater(t, len(silent), 40, p.Title)
	}
}

func TestTargetsAreValidQueriesOfSignalsInTheUnitOfThePanel(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	compiler := compile.New(signals)
	for _, p := range graphs(t) {
		require.NotEmpty(t, p.Targets, p.Title)
		require.NotEmpty(t, p.FieldConfig.Defaults.Unit, p.Title)
		refIDs := map[string]bool{}
		for _, raw := range p.Targets {
			q, err := query.Parse(expanded(raw))
			require.NoError(t, err, p.Title)
			signal, ok := signals.Signal(q.Signal)
			require.True(t, ok, "%s: no signal %s", p.Title, q.Signal)
			require.Equal(t, signal.Unit, p.FieldConfig.Defaults.Unit, "%s: %s", p.Title, q.Signal)
			_, err = compiler.Compile(compile.Request{Query: q, Step: time.Second})
			require.NoError(t, err, p.Title)
			var own struct{ RefID string }
			require.NoError(t, json.Unmarshal(raw, &own))
			require.False(t, refIDs[own.RefID], "%s: refId %s occurs twice", p.Title, own.RefID)
			refIDs[own.RefID] = true
		}
	}
}

func TestTargetsObeyTheModelAndInstanceVariables(t *testing.T) {
	for _, p := range graphs(t) {
		for _, raw := range p.Targets {
			var target struct{ Filters []query.Filter }
			require.NoError(t, json.Unmarshal(raw, &target))
			require.Equal(t, []query.Filter{
				{Label: "model", Op: query.OpEqual, Values: []string{"$model"}},
				{Label: "instance", Op: query.OpEqual, Values: []string{"$instance"}},
			}, target.Filters, p.Title)
		}
	}
}

func TestTheThreeRatesShareOneAxisAndTheirTiming(t *testing.T) {
	rates := []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate"}
	found := 0
	for _, p := range graphs(t) {
		var asked []string
		var queries []query.Query
		for _, raw := range p.Targets {
			q, err := query.Parse(expanded(raw))
			require.NoError(t, err)
			asked, queries = append(asked, q.Signal), append(queries, q)
		}
		if !slices.Contains(asked, rates[0]) {
			continue
		}
		found++
		require.Equal(t, rates, asked, p.Title)
		for _, q := range queries[1:] {
			require.Equal(t, queries[0].RateMode, q.RateMode, p.Title)
			require.Equal(t, queries[0].Window, q.Window, p.Title)
			require.Equal(t, queries[0].GroupBy, q.GroupBy, p.Title)
			require.Equal(t, queries[0].Filters, q.Filters, p.Title)
		}
	}
	require.Equal(t, 2, found, "in total and by model")
}

func TestASignalOfAStageHasTheSameColourOnEveryPanel(t *testing.T) {
	want := map[string]string{
		"prefill_request_rate": "blue", "prefill_token_rate": "blue", "prefill_bootstrap_queue": "blue", "prefill_time": "blue",
		"kv_transfer_request_rate": "orange", "kv_transfer_byte_rate": "orange", "kv_transfer_bytes": "orange",
		"decode_request_rate": "green", "decode_token_rate": "green", "decode_prealloc_queue": "green", "decode_time": "green",
	}
	seen := map[string]bool{}
	for _, p := range graphs(t) {
		colours := map[string]string{}
		for _, o := range p.FieldConfig.Overrides {
			if o.Matcher.ID == "byFrameRefID" {
				colours[o.Matcher.Options] = o.Properties[0].Value.FixedColor
			}
		}
		for _, raw := range p.Targets {
			var target struct{ RefID, Signal string }
			require.NoError(t, json.Unmarshal(raw, &target))
			if colour, ok := want[target.Signal]; ok {
				require.Equal(t, colour, colours[target.RefID], "%s: %s", p.Title, target.Signal)
				seen[target.Signal] = true
			}
		}
	}
	require.Len(t, seen, len(want))
}

func TestPanelsDoNotOverlapAndHaveTheirOwnIDs(t *testing.T) {
	for path, b := range load(t) {
		ids := map[int]string{}
		cells := map[[2]int]string{}
		for _, p := range b.Panels {
			require.Empty(t, ids[p.ID], "%s: %s has the id of another panel", path, p.Title)
			ids[p.ID] = p.Title
			require.LessOrEqual(t, p.GridPos.X+p.GridPos.W, 24, p.Title)
			for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
				for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
					at := [2]int{x, y}
					require.Empty(t, cells[at], "%s: %s lies on another panel", path, p.Title)
					cells[at] = p.Title
				}
			}
		}
	}
}
