package plugin_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/realpages"
	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// servedPages are real pages as targets of an embedded Prometheus, scraped every second
// for a minute and a half. Gauges stand at the page's value; what is cumulative
// grows by it every second, so that a rate is the page's own total.
func servedPages(t *testing.T, pages ...string) *replayed {
	t.Helper()
	skipShort(t)
	const length = 90 * time.Second
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	start := time.Now().Add(-length).Truncate(time.Second)
	for i, name := range pages {
		text := realpages.Read(t, name)
		target := map[string]string{"instance": fmt.Sprintf("target-%d", i), "job": "engines"}
		for second := range int(length / time.Second) {
			require.NoError(t, server.AppendText(t.Context(), grown(text, second), target, start.Add(time.Duration(second)*time.Second)))
		}
	}
	source, err := plugin.Open(t.Context(), backend.DataSourceInstanceSettings{URL: server.URL(), JSONData: []byte(`{}`)})
	require.NoError(t, err)
	t.Cleanup(source.Dispose)
	return &replayed{server: server, source: source, start: start}
}

// grown is the page after some seconds.
func grown(page string, seconds int) []byte {
	kinds := map[string]string{}
	var out strings.Builder
	for line := range strings.Lines(page) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "# TYPE "); ok {
			metric, kind, _ := strings.Cut(rest, " ")
			kinds[metric] = kind
		}
		space := strings.LastIndex(line, " ")
		if strings.HasPrefix(line, "#") || space < 0 {
			fmt.Fprintln(&out, line)
			continue
		}
		value, err := strconv.ParseFloat(line[space+1:], 64)
		if err == nil && kinds[family(line, kinds)] != "gauge" {
			fmt.Fprintf(&out, "%s %v\n", line[:space], value*float64(seconds))
			continue
		}
		fmt.Fprintln(&out, line)
	}
	return []byte(out.String())
}

func family(line string, kinds map[string]string) string {
	name, _, _ := strings.Cut(line, "{")
	name, _, _ = strings.Cut(name, " ")
	for _, suffix := range []string{"_bucket", "_sum", "_count"} {
		if base := strings.TrimSuffix(name, suffix); kinds[base] != "" {
			return base
		}
	}
	return name
}

// The totals are those that the README of the pages names, or sums of a few of
// their lines done by hand.
func TestRealPagesServedAsTargetsGiveTheirTotals(t *testing.T) {
	const prefill, decode = "sglang-pd-tp2-prefill-fixture.prom", "sglang-pd-tp2-decode-fixture.prom"
	pd := []string{prefill, decode}
	for name, test := range map[string]struct {
		pages []string
		q     query.Query
		want  map[string]float64 // by role, "" where there is none
	}{
		"priorities repeat the total":           {[]string{"sglang-priority-fixture.prom"}, query.Query{Signal: "requests_running"}, map[string]float64{"": 7}},
		"a queue under priorities":              {[]string{"sglang-priority-fixture.prom"}, query.Query{Signal: "requests_waiting"}, map[string]float64{"": 0}},
		"the same user requests pass prefill":   {pd, query.Query{Signal: "prefill_request_rate"}, map[string]float64{"": 13}},
		"and decode":                            {pd, query.Query{Signal: "decode_request_rate"}, map[string]float64{"": 14}},
		"each TP rank repeats the queue times":  {pd, query.Query{Signal: "queue_time", Stat: query.StatRate, Role: query.RolePrefill}, map[string]float64{"prefill": 67}},
		"transfers beyond the last bucket":      {pd, query.Query{Signal: "kv_transfer_latency", Stat: query.StatQuantile}, map[string]float64{"": 5}},
		"the mean transfer is beyond it":        {pd, query.Query{Signal: "kv_transfer_latency", Stat: query.StatMean}, map[string]float64{"": 107754.0 / 12 / 1000}},
		"the bootstrap queue":                   {pd, query.Query{Signal: "prefill_bootstrap_queue"}, map[string]float64{"": 2}},
		"the transfer queue":                    {pd, query.Query{Signal: "decode_transfer_queue"}, map[string]float64{"": 3}},
		"running requests of each role":         {pd, query.Query{Signal: "requests_running"}, map[string]float64{"prefill": 0, "decode": 1}},
		"the pool that running requests hold":   {pd, query.Query{Signal: "kv_cache_active", Role: query.RoleDecode}, map[string]float64{"decode": 145856.0 / 441792}},
		"a first token is decode's business":    {pd, query.Query{Signal: "ttft", Stat: query.StatMean}, map[string]float64{"": 190.0 / 15}},
		"tokens of an engine without labels":    {[]string{"vllm-old-tgis-bloom.prom"}, query.Query{Signal: "decode_token_rate"}, map[string]float64{"": 218152}},
		"waiting is capacity and deferred":      {[]string{"vllm-0.29.0-t4-waiting-by-reason.prom"}, query.Query{Signal: "requests_waiting"}, map[string]float64{"": 12}},
		"running on a small card":               {[]string{"vllm-0.29.0-t4-waiting-by-reason.prom"}, query.Query{Signal: "requests_running"}, map[string]float64{"": 37}},
		"an old tokenizer tells no engine type": {[]string{"sglang-0.4.x-deepseek-r1-no-engine_type-on-tokenizer.prom"}, query.Query{Signal: "decode_request_rate"}, map[string]float64{"": 217}},
	} {
		t.Run(name, func(t *testing.T) {
			r := servedPages(t, test.pages...)
			a := r.ask(t, test.q, 70*time.Second, 80*time.Second)
			got := map[string]float64{}
			for _, c := range a.curves {
				got[c.labels["role"]] = c.mean()
			}
			require.InDeltaMapValues(t, test.want, got, 1e-6, "%v", a.notices)
		})
	}
}

// Whatever a page holds, every signal answers: with a number that is one, or with
// a word.
func TestEverySignalAnswersOnEveryRealPage(t *testing.T) {
	known, err := catalog.Load()
	require.NoError(t, err)
	for _, page := range []string{
		"sglang-0.4.x-deepseek-r1-no-engine_type-on-tokenizer.prom", "sglang-dp-attention-tp8dp8-gen_throughput.prom",
		"sglang-pd-tp2-prefill-fixture.prom", "sglang-pd-tp2-decode-fixture.prom", "sglang-priority-fixture.prom",
		"vllm-0.29.0-t4-waiting-by-reason.prom", "vllm-kv-fetch-by-stage-dp2-via-dynamo.prom", "vllm-old-tgis-bloom.prom", "vllm-v0-llama31-8b.prom",
	} {
		t.Run(page, func(t *testing.T) {
			r := servedPages(t, page)
			for _, signal := range known.Signals() {
				a := r.ask(t, query.Query{Signal: signal.ID, GroupBy: []string{"model"}}, 70*time.Second, 80*time.Second)
				if len(a.curves) == 0 {
					require.NotEmpty(t, a.notices, "%s is empty without a word", signal.ID)
				}
			}
		})
	}
}
