package plugin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/plugin"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// counting is an engine whose counters grow by what its page says, every second of
// its life; gauges stand.
type counting struct {
	instance string
	page     string
	// from and to are ages: how long ago its life began and ended.
	from, to time.Duration
	// every is the distance of its samples, a second if not set.
	every time.Duration
}

// lived loads the lives of engines and opens a data source over them.
func lived(t *testing.T, jsonData string, engines ...counting) *replayed {
	t.Helper()
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	present := time.Now().Truncate(time.Second)
	for _, e := range engines {
		target := map[string]string{"instance": e.instance, "job": "engines"}
		for age := e.from; age >= e.to; age -= max(e.every, time.Second) {
			text := grown(strings.TrimSpace(e.page)+"\n", int((e.from-age)/time.Second))
			require.NoError(t, server.AppendText(t.Context(), text, target, present.Add(-age)))
		}
	}
	source, err := plugin.Open(t.Context(), backend.DataSourceInstanceSettings{URL: server.URL(), JSONData: []byte(jsonData)})
	require.NoError(t, err)
	t.Cleanup(source.Dispose)
	return &replayed{server: server, source: source, start: present}
}

// slowed scrapes an engine less often.
func (e counting) slowed(every time.Duration) counting {
	e.every = every
	return e
}

func vllmPage(prefix, model string, more ...string) string {
	lines := []string{
		"# TYPE %[1]snum_requests_running gauge", `%[1]snum_requests_running{engine="0",model_name="%[2]s"} 1`,
		"# TYPE %[1]srequest_success_total counter", `%[1]srequest_success_total{engine="0",finished_reason="stop",model_name="%[2]s"} 10`,
	}
	return fmt.Sprintf(strings.Join(append(lines, more...), "\n"), prefix, model)
}

func means(a answer, label string) map[string]float64 {
	got := map[string]float64{}
	for _, c := range a.curves {
		got[c.labels[label]] = c.mean()
	}
	return got
}

// A cluster that went down is looked at afterwards: its roles are those it had.
func TestEnginesOfAnEarlierTimeKeepTheirRoles(t *testing.T) {
	const began, ended = 32 * time.Minute, 30 * time.Minute
	r := lived(t, `{}`,
		counting{instance: "prefill-0", page: vllmPage("vllm:", "m"), from: began, to: ended},
		counting{instance: "decode-0", page: vllmPage("vllm:", "m"), from: began, to: ended})
	a := r.ask(t, query.Query{Signal: "prefill_request_rate", GroupBy: []string{"model"}}, -began+20*time.Second, -ended)
	require.InDeltaMapValues(t, map[string]float64{"m": 10}, means(a, "model"), 1e-9, "%v", a.notices)
}

// Names changed their prefix; before and after are the same engines.
func TestBothSidesOfAPrefixFlipHaveTheirRoles(t *testing.T) {
	r := lived(t, `{}`,
		counting{instance: "prefill-0", page: vllmPage("vllm:", "m"), from: 14 * time.Minute, to: 12 * time.Minute},
		counting{instance: "decode-0", page: vllmPage("vllm:", "m"), from: 14 * time.Minute, to: 12 * time.Minute},
		counting{instance: "prefill-0", page: vllmPage("ray_vllm_", "m"), from: 2 * time.Minute, to: 0},
		counting{instance: "decode-0", page: vllmPage("ray_vllm_", "m"), from: 2 * time.Minute, to: 0})
	for _, end := range []time.Duration{12 * time.Minute, 0} {
		a := r.ask(t, query.Query{Signal: "prefill_request_rate"}, -end-time.Minute, -end)
		require.InDeltaMapValues(t, map[string]float64{"": 10}, means(a, "model"), 1e-9, "%v", a.notices)
	}
}

// A router shows its worker's page again under its own prefix.
func TestWhatARouterShowsAgainIsReadOnce(t *testing.T) {
	worker := `
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{model_name="m",engine_type="unified"} 4
# TYPE sglang:num_requests_total counter
sglang:num_requests_total{model_name="m",engine_type="unified"} 10`
	router := strings.NewReplacer("sglang:", "sglang_", `engine_type="unified"`, `engine_type="unified",worker_addr="w0"`).Replace(worker)
	r := lived(t, `{}`, counting{instance: "w0", page: worker, from: 2 * time.Minute, to: 0}, counting{instance: "router", page: router, from: 2 * time.Minute, to: 0})
	for signal, want := range map[string]float64{"requests_running": 4, "decode_request_rate": 10} {
		a := r.ask(t, query.Query{Signal: signal}, -time.Minute, 0)
		require.InDeltaMapValues(t, map[string]float64{"": want}, means(a, "model"), 1e-9, "%v", a.notices)
		require.Contains(t, a.notices, "A router shows the metrics of SGLang again; the engines' own are read.")
	}
}

// Two clusters behind one server use different connectors: neither is lost, and no
// engine counts twice.
func TestEachEngineIsReadFromTheConnectorThatItHas(t *testing.T) {
	flagcx := vllmPage("vllm:", "f", "# TYPE vllm:flagcx_total_bytes_transferred_total counter", `vllm:flagcx_total_bytes_transferred_total{engine="0",model_name="f"} 1000`)
	nixl := vllmPage("vllm:", "n", "# TYPE vllm:nixl_bytes_transferred_sum counter", `vllm:nixl_bytes_transferred_sum{engine="0",model_name="n"} 2000`)
	r := lived(t, `{"requestSizes":[{"model":"/./","bytesPerRequest":100}]}`,
		counting{instance: "prefill-0", page: flagcx, from: 2 * time.Minute, to: 0}, counting{instance: "decode-1", page: nixl, from: 2 * time.Minute, to: 0})
	a := r.ask(t, query.Query{Signal: "kv_transfer_request_rate", GroupBy: []string{"model"}}, -time.Minute, 0)
	require.InDeltaMapValues(t, map[string]float64{"f": 10, "n": 20}, means(a, "model"), 1e-9, "%v", a.notices)

	// What was in use hours ago does not hide what is in use now.
	r = lived(t, `{}`, counting{instance: "prefill-0", page: flagcx, from: 182 * time.Minute, to: 180 * time.Minute}, counting{instance: "decode-1", page: nixl, from: 2 * time.Minute, to: 0})
	a = r.ask(t, query.Query{Signal: "kv_transfer_byte_rate"}, -time.Minute, 0)
	require.InDeltaMapValues(t, map[string]float64{"": 2000}, means(a, "model"), 1e-9, "%v", a.notices)
}

// Half of the engines lack the bound: their observations would be in the
// denominator alone.
func TestAShareNeedsABoundThatAllEnginesHave(t *testing.T) {
	histogram := func(bounds string) string {
		return vllmPage("vllm:", "m", "# TYPE vllm:time_to_first_token_seconds histogram",
			`vllm:time_to_first_token_seconds_bucket{le="0.25",model_name="%[2]s"} 0`,
			`vllm:time_to_first_token_seconds_bucket{le="`+bounds+`",model_name="%[2]s"} 5`,
			`vllm:time_to_first_token_seconds_bucket{le="1.0",model_name="%[2]s"} 10`,
			`vllm:time_to_first_token_seconds_bucket{le="+Inf",model_name="%[2]s"} 10`,
			`vllm:time_to_first_token_seconds_count{model_name="%[2]s"} 10`)
	}
	r := lived(t, `{}`, counting{instance: "decode-0", page: histogram("0.5"), from: 2 * time.Minute, to: 0}, counting{instance: "decode-1", page: histogram("0.75"), from: 2 * time.Minute, to: 0})
	a := r.ask(t, query.Query{Signal: "ttft", Role: query.RoleDecode, Stat: query.StatUnder, Limit: 0.5}, -time.Minute, 0)
	require.Empty(t, a.curves)
	require.Contains(t, strings.Join(a.notices, "\n"), "No bucket that all engines share ends at 0.5, so the share under it is not known. Bounds they share: 0.25, 1.0, +Inf.")

	a = r.ask(t, query.Query{Signal: "ttft", Role: query.RoleDecode, Stat: query.StatUnder, Limit: 1}, -time.Minute, 0)
	require.InDeltaMapValues(t, map[string]float64{"": 1}, means(a, "model"), 1e-9, "%v", a.notices)
}

// One engine is too old to put engine_type on its counters; it is told by its name.
func TestOldAndNewEnginesAreToldEachInItsOwnWay(t *testing.T) {
	page := func(role, counted string) string {
		return "# TYPE sglang:num_running_reqs gauge\n" + `sglang:num_running_reqs{model_name="m",engine_type="` + role + `"} 1` +
			"\n# TYPE sglang:num_requests_total counter\n" + `sglang:num_requests_total{model_name="m"` + counted + `} 10`
	}
	two := 2 * time.Minute
	r := lived(t, `{}`,
		counting{instance: "a", page: page("prefill", `,engine_type="prefill"`), from: two},
		counting{instance: "b", page: page("decode", `,engine_type="decode"`), from: two},
		counting{instance: "prefill-old", page: page("prefill", ""), from: two},
		counting{instance: "decode-old", page: page("decode", ""), from: two})
	for _, signal := range []string{"prefill_request_rate", "decode_request_rate"} {
		a := r.ask(t, query.Query{Signal: signal}, -time.Minute, 0)
		require.InDeltaMapValues(t, map[string]float64{"": 20}, means(a, "model"), 1e-9, "%s: %v", signal, a.notices)
	}
}

// A rate needs two samples of the slowest target too.
func TestTheSlowestScrapeDecidesTheWindow(t *testing.T) {
	const began = 10 * time.Minute
	fast := counting{instance: "prefill-0", page: vllmPage("vllm:", "m"), from: began}
	slow := counting{instance: "prefill-1", page: vllmPage("vllm:", "m"), from: began}.slowed(15 * time.Second)
	r := lived(t, `{}`, fast, slow)
	a := r.ask(t, query.Query{Signal: "prefill_request_rate", RateMode: query.RateWindow}, -5*time.Minute, -time.Minute)
	require.InDeltaMapValues(t, map[string]float64{"": 20}, means(a, "model"), 1e-6, "%v", a.notices)

	// Also where they have ended.
	ended := counting{instance: "prefill-1", page: vllmPage("vllm:", "m"), from: 40 * time.Minute, to: 20 * time.Minute}.slowed(15 * time.Second)
	r = lived(t, `{}`, ended)
	a = r.ask(t, query.Query{Signal: "prefill_request_rate", RateMode: query.RateWindow}, -35*time.Minute, -25*time.Minute)
	require.InDeltaMapValues(t, map[string]float64{"": 10}, means(a, "model"), 1e-6, "%v", a.notices)
}
