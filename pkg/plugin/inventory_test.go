package plugin_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/data"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// listed are the rows of an inventory, as texts by column.
func listed(t *testing.T, r *replayed, q query.Query) ([]map[string]any, *data.Frame) {
	t.Helper()
	q.QueryType = query.TypeInventory
	one := respond(t, r.source, backend.DataQuery{RefID: "A", JSON: asJSON(t, q), Interval: time.Second, TimeRange: backend.TimeRange{
		From: time.Now().Add(-2 * time.Minute), To: time.Now(),
	}})
	require.NoError(t, one.Error)
	require.Len(t, one.Frames, 1)
	f := one.Frames[0]
	var rows []map[string]any
	for i := range f.Rows() {
		row := map[string]any{}
		for _, field := range f.Fields {
			row[field.Name], _ = field.ConcreteAt(i)
		}
		rows = append(rows, row)
	}
	return rows, f
}

func one(t *testing.T, rows []map[string]any, pairs ...string) map[string]any {
	t.Helper()
	var found []map[string]any
	for _, row := range rows {
		fits := true
		for i := 0; i < len(pairs); i += 2 {
			fits = fits && row[pairs[i]] == pairs[i+1]
		}
		if fits {
			found = append(found, row)
		}
	}
	require.Len(t, found, 1, "%v", pairs)
	return found[0]
}

func TestTheInventorySaysWhatIsExportedAndWhyNot(t *testing.T) {
	rows, _ := listed(t, theDefaultCluster(t), query.Query{})
	for _, test := range []struct {
		signal, system, status, metric, reason string
	}{
		{"prefill_request_rate", "SGLang", "exported", "sglang:num_requests_total", "inflight_queue"},
		{"ttft", "vLLM", "exported", "vllm:time_to_first_token_seconds", ""},
		{"gen_throughput_raw", "SGLang", "distrusted", "sglang:gen_throughput", "Take decode_token_rate"},
		{"kv_block_lifetime", "vLLM", "missing", "vllm:kv_block_lifetime_seconds", "--kv-cache-metrics"},
		{"kv_transfer_byte_rate", "FlagCX", "exported", "", ""},
	} {
		row := one(t, rows, "signal", test.signal, "system", test.system)
		require.Equal(t, test.status, row["status"], "%v", row)
		require.Contains(t, row["metric"], test.metric)
		require.Contains(t, row["reason"], test.reason)
	}
	for _, row := range rows {
		require.NotEqual(t, "Mooncake", row["system"], "what was not found has no rows")
		if row["status"] != "exported" {
			require.NotEmpty(t, row["reason"], "%v", row)
		}
	}
}

func TestASignalWithoutASizeIsUnavailableAndSaysWhy(t *testing.T) {
	rows, _ := listed(t, theDefaultCluster(t).with(t, map[string]any{"requestSizes": []any{}}), query.Query{System: "flagcx"})
	row := one(t, rows, "signal", "kv_transfer_request_rate")
	require.Equal(t, "unavailable", row["status"])
	require.Contains(t, row["reason"], "requestSizes")
	for _, row := range rows {
		require.Equal(t, "FlagCX", row["system"])
	}
}

func TestTheInventoryOfSystemsCountsEnginesAndRestarts(t *testing.T) {
	rows, f := listed(t, theDefaultCluster(t), query.Query{Inventory: query.InventorySystems})
	vllm := one(t, rows, "system", "vLLM")
	require.Equal(t, "found", vllm["status"])
	require.EqualValues(t, 2, vllm["prefill"])
	require.EqualValues(t, 3, vllm["decode"])
	require.Equal(t, "meta-llama/Llama-3.1-70B-Instruct", vllm["models"])
	require.Equal(t, 1.0, vllm["scrape interval"])
	require.EqualValues(t, 0, vllm["restarts"])
	require.Equal(t, "the settings", vllm["role by"])
	require.Equal(t, "its label engine_type", one(t, rows, "system", "SGLang")["role by"])
	require.Equal(t, "not found", one(t, rows, "system", "Mooncake")["status"])
	require.Len(t, rows, len(theDefaultCluster(t).source.List(t.Context()).Systems))
	field, _ := f.FieldByName("scrape interval")
	require.Equal(t, "s", field.Config.Unit)
	text, err := json.Marshal(f)
	require.NoError(t, err)
	require.NotContains(t, string(text), "NaN")
}

func TestWhatTwoJobsScrapeIsToBeLookedAt(t *testing.T) {
	counter := "# TYPE vllm:generation_tokens_total counter\nvllm:generation_tokens_total{" + vllmLabels + "} "
	page := func(second int) string {
		if second >= 30 {
			return vllmProbe + "\n" + counter + "1\n" // restarted
		}
		return vllmProbe + "\n" + counter + "500\n"
	}
	r := exposed(t, nil, time.Second, engine{"engine-0", "a", page}, engine{"engine-0", "b", page})
	systems, _ := listed(t, r, query.Query{Inventory: query.InventorySystems})
	vllm := one(t, systems, "system", "vLLM")
	require.Equal(t, "look at it", vllm["status"])
	require.Contains(t, vllm["remark"], "engine-0")
	require.EqualValues(t, 2, vllm["restarts"], "one of each job")
	signals, _ := listed(t, r, query.Query{})
	require.Equal(t, "scraped twice", one(t, signals, "signal", "requests_running")["status"])
}

func TestAnInventoryRefusesWhatItDoesNotKnow(t *testing.T) {
	r := theDefaultCluster(t)
	for field, text := range map[string]string{
		`inventory: "metrics"`: `{"queryType":"inventory","inventory":"metrics"}`,
		`system: "vlm"`:        `{"queryType":"inventory","system":"vlm"}`,
	} {
		one := respond(t, r.source, backend.DataQuery{RefID: "A", JSON: []byte(text), TimeRange: backend.TimeRange{From: time.Now().Add(-time.Minute), To: time.Now()}})
		require.ErrorContains(t, one.Error, field)
		require.Equal(t, backend.StatusBadRequest, one.Status)
		require.Equal(t, backend.ErrorSourceDownstream, one.ErrorSource)
	}
	_, f := listed(t, r, query.Query{Filters: []query.Filter{{Label: "model", Op: query.OpEqual, Values: []string{"m"}}}})
	require.Contains(t, f.Meta.Notices[0].Text, "filters are not applied")
	compiled, err := r.source.Compile(t.Context(), backend.DataQuery{JSON: []byte(`{"queryType":"inventory"}`)})
	require.NoError(t, err)
	require.Empty(t, compiled.PromQL)
}
