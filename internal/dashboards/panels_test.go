package dashboards_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestPanelsNameTheDataSourceByVariable(t *testing.T) {
	want := &ref{pluginID, "${datasource}"}
	for _, p := range asking(t) {
		require.Equal(t, want, p.Datasource, p.Title)
		for _, raw := range p.Targets {
			var target struct{ Datasource *ref }
			require.NoError(t, json.Unmarshal(raw, &target))
			require.Equal(t, want, target.Datasource, p.Title)
		}
	}
}

func TestPanelsSayHowToReadThemAndWhatTheyCannotTell(t *testing.T) {
	for _, p := range asking(t) {
		reads, silent, ok := strings.Cut(p.Description, "\n\n**What it cannot tell:** ")
		require.True(t, ok, p.Title)
		reads, ok = strings.CutPrefix(reads, "**How to read it:** ")
		require.True(t, ok, p.Title)
		require.Greater(t, len(reads), 40, p.Title)
		require.Greater(t, len(silent), 40, p.Title)
	}
}

func TestTargetsCompileForEachSystemThatHasTheirSignal(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	compiler := compile.New(signals)
	for _, p := range asking(t) {
		require.NotEmpty(t, p.Targets, p.Title)
		refIDs := map[string]bool{}
		for _, q := range p.targets(t) {
			require.False(t, refIDs[q.refID], "%s: refId %s occurs twice", p.Title, q.refID)
			refIDs[q.refID] = true
			if q.QueryType == query.TypeInventory {
				continue
			}
			signal, ok := signals.Signal(q.Signal)
			require.True(t, ok, "%s: no signal %s", p.Title, q.Signal)
			options := compile.Options{}
			for _, b := range signals.Bindings(signal) {
				one := q.Query
				one.System = b.System
				if signal.PerRequestSize {
					one.BytesPerRequest = 1 << 30
				}
				plan, err := compiler.Compile(compile.Request{Query: one, Options: options, Step: time.Second})
				require.NoError(t, err, "%s: %s of %s", p.Title, q.Signal, b.System)
				if q.Role == "" || b.Role == "" || b.Role == q.Role {
					require.NotEmpty(t, plan.Expressions, "%s: %s of %s", p.Title, q.Signal, b.System)
				}
			}
		}
	}
}

func TestGraphsHaveTheUnitOfTheirSignals(t *testing.T) {
	signals, err := catalog.Load()
	require.NoError(t, err)
	for _, p := range asking(t) {
		if p.Type != "timeseries" {
			continue
		}
		for _, q := range p.targets(t) {
			want, _ := signals.Signal(q.Signal)
			unit := want.Unit
			if q.Stat == query.StatSkew {
				unit = "none"
			}
			require.Equal(t, unit, p.FieldConfig.Defaults.Unit, "%s: %s", p.Title, q.Signal)
		}
	}
}

func TestTheThreeRatesShareOneAxisAndTheirTiming(t *testing.T) {
	rates := []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate"}
	found := 0
	for _, p := range load(t)["pd-overview.json"].asking() {
		var asked []string
		queries := p.targets(t)
		for _, q := range queries {
			asked = append(asked, q.Signal)
		}
		if !slices.Contains(asked, rates[0]) {
			continue
		}
		found++
		require.Equal(t, rates, asked[:3], p.Title)
		for _, q := range queries[1:3] {
			require.Equal(t, queries[0].RateMode, q.RateMode, p.Title)
			require.Equal(t, queries[0].Window, q.Window, p.Title)
			require.Equal(t, queries[0].GroupBy, q.GroupBy, p.Title)
			require.Equal(t, queries[0].Filters, q.Filters, p.Title)
		}
	}
	require.Equal(t, 4, found, "in total, by model, as numbers and as gaps")
}

func TestASignalOfAStageHasTheSameColourOnEveryPanel(t *testing.T) {
	want := map[string]string{
		"prefill_request_rate": "blue", "prefill_token_rate": "blue", "prefill_time": "blue", "prefill_computed_tokens_per_request": "blue",
		"kv_transfer_request_rate": "orange", "kv_transfer_byte_rate": "orange", "kv_transfer_bytes": "orange", "prefill_inflight_queue": "orange",
		"decode_request_rate": "green", "decode_token_rate": "green", "decode_time": "green",
	}
	seen := map[string]bool{}
	for _, p := range asking(t) {
		if p.Type != "timeseries" {
			continue
		}
		colours := map[string]string{}
		for _, o := range p.FieldConfig.Overrides {
			var value struct{ FixedColor string }
			if o.Matcher.ID == "byFrameRefID" {
				require.NoError(t, json.Unmarshal(o.Properties[0].Value, &value))
				colours[o.Matcher.Options] = value.FixedColor
			}
		}
		for _, q := range p.targets(t) {
			if colour, ok := want[q.Signal]; ok && q.Quantile == 0 {
				require.Equal(t, colour, colours[q.refID], "%s: %s", p.Title, q.Signal)
				seen[q.Signal] = true
			}
		}
	}
	require.Len(t, seen, len(want))
}

// A mean over cards hides the one that all others wait for.
func TestNoPanelTakesTheMeanOfCards(t *testing.T) {
	for _, p := range load(t)["pd-gpu-network.json"].asking() {
		for _, q := range p.targets(t) {
			if strings.HasPrefix(q.Signal, "gpu_") || strings.HasPrefix(q.Signal, "xid_") {
				require.Contains(t, q.GroupBy, "gpu", "%s: %s", p.Title, q.Signal)
			}
		}
	}
}
