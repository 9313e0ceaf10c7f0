package plugin_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// engine is a target whose page depends on the second.
type engine struct {
	instance, job string
	page          func(second int) string
}

// Pages are scraped for a minute until now; asked is what tests look at.
const (
	scraped   = 60 * time.Second
	askedFrom = 40 * time.Second
	askedTo   = 55 * time.Second
)

// exposed are engines scraped at a distance by an embedded Prometheus, and a data
// source that asks it.
func exposed(t *testing.T, jsonData map[string]any, every time.Duration, engines ...engine) *replayed {
	t.Helper()
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Close()) })
	start := time.Now().Add(-scraped).Truncate(time.Second)
	for _, e := range engines {
		target := map[string]string{"instance": e.instance, "job": e.job}
		for at := time.Duration(0); at < scraped; at += every {
			require.NoError(t, server.AppendText(t.Context(), []byte(e.page(int(at/time.Second))), target, start.Add(at)))
		}
	}
	if jsonData == nil {
		jsonData = map[string]any{}
	}
	return &replayed{server: server, source: opened(t, server.URL(), jsonData), start: start}
}

// still is a page that does not change.
func still(lines ...string) func(int) string {
	return func(int) string { return strings.Join(lines, "\n") + "\n" }
}

// growing is a page of counters that grow by their values every second.
func growing(lines ...string) func(int) string {
	return func(second int) string { return string(grown(strings.Join(lines, "\n")+"\n", second)) }
}

// buckets are the lines of a histogram: bounds and how many observations lie up to
// each, the last of them up to +Inf.
func buckets(name, labels string, bounds []string, upTo ...int) string {
	var b strings.Builder
	for i, bound := range append(bounds, "+Inf") {
		fmt.Fprintf(&b, "%s_bucket{%s,le=%q} %d\n", name, labels, bound, upTo[i])
	}
	all := upTo[len(upTo)-1]
	fmt.Fprintf(&b, "%s_count{%s} %d\n%s_sum{%s} %d", name, labels, all, name, labels, all)
	return b.String()
}

const (
	vllmLabels  = `model_name="m",engine="0"`
	vllmProbe   = "# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{" + vllmLabels + "} 3"
	sglangProbe = "# TYPE sglang:num_running_reqs gauge\n" + `sglang:num_running_reqs{model_name="m",engine_type="decode"} 3`
	firstTokens = "vllm:time_to_first_token_seconds"
	wholeTimes  = "vllm:e2e_request_latency_seconds"
)

func vllmEngine(instance string, lines ...string) engine {
	return engine{instance, "llm", growing(append([]string{vllmProbe}, lines...)...)}
}

func sglangEngine(lines ...string) engine {
	return engine{"engine-0", "llm", growing(append([]string{sglangProbe}, lines...)...)}
}

func TestWhatIsToBeKnownOfANumberIsSaidWithIt(t *testing.T) {
	coarse, fine := buckets(wholeTimes, vllmLabels, []string{"1.0", "4.0"}, 10, 20, 20), buckets(wholeTimes, vllmLabels, []string{"1.0", "2.0", "4.0"}, 10, 20, 20, 20)
	sglangTTFT := buckets("sglang:time_to_first_token_seconds", `model_name="m",engine_type="decode"`, []string{"1.0"}, 1, 1)
	quantile := func(signal string, q float64) query.Query {
		return query.Query{Signal: signal, Stat: query.StatQuantile, Quantile: q}
	}
	for name, test := range map[string]struct {
		engines  []engine
		settings map[string]any
		q        query.Query
		// value of every point of the one series; nil for no series.
		value any
		want  []string
		not   []string
	}{
		"a metric that is not exported, with its flag": {
			engines: []engine{sglangEngine()}, q: query.Query{Signal: "ttft", System: "sglang"},
			want: []string{"SGLang: TTFT is not on this server (looked for sglang:time_to_first_token_seconds). This version, model or set-up does not export it."},
		},
		"a metric of the other role": {
			engines: []engine{sglangEngine(sglangTTFT), {"engine-1", "llm", still(`sglang:num_running_reqs{model_name="m",engine_type="prefill"} 3`)}},
			q:       query.Query{Signal: "ttft", Role: query.RolePrefill},
			want:    []string{"SGLang reports TTFT on the decode role only; there is none on prefill. Remove the role or choose decode."},
		},
		"a role that is not there": {
			engines: []engine{vllmEngine("engine-0", buckets(firstTokens, vllmLabels, []string{"1.0"}, 1, 1))},
			q:       query.Query{Signal: "ttft", Role: query.RoleDecode},
			value:   0.99,
			want:    []string{"No decode engine of vLLM was recognised: the deployment counts as unified and all its engines are shown."},
		},
		"a counter that is exported and never moved": {
			engines: []engine{{"engine-0", "llm", still(vllmProbe, "vllm:num_preemptions_total{"+vllmLabels+"} 7")}},
			q:       query.Query{Signal: "preemption_rate"},
			value:   0.0,
			want:    []string{"All zero: the counter is exported and did not move in this time range."},
		},
		"an older name": {
			engines: []engine{vllmEngine("engine-0", buckets("vllm:time_per_output_token_seconds", vllmLabels, []string{"1.0"}, 1, 1))},
			q:       query.Query{Signal: "itl", Stat: query.StatMean},
			value:   1.0,
			want:    []string{"The older name vllm:time_per_output_token_seconds is used; newer versions call it inter_token_latency_seconds."},
		},
		"two prefixes on one engine": {
			engines: []engine{{"engine-0", "llm", still(vllmProbe, "ray_vllm_num_requests_running{"+vllmLabels+"} 3")}},
			q:       query.Query{Signal: "requests_running"},
			value:   3.0,
			want:    []string{"vLLM is exported under several prefixes (vllm:, ray_vllm_); an engine that has both is read once. The setting prefixes chooses one."},
		},
		"two prefixes of which one was chosen": {
			engines:  []engine{{"engine-0", "llm", still(vllmProbe, "ray_vllm_num_requests_running{"+vllmLabels+"} 3")}},
			settings: map[string]any{"prefixes": map[string]any{"vllm": []string{"vllm:"}}},
			q:        query.Query{Signal: "requests_running"},
			value:    3.0,
			not:      []string{"prefixes"},
		},
		"a filter on a label that the metric does not carry": {
			engines: []engine{sglangEngine(sglangTTFT)},
			q:       query.Query{Signal: "ttft", Stat: query.StatMean, Filters: []query.Filter{{Label: "dp_rank", Op: query.OpEqual, Values: []string{"3"}}}},
			value:   1.0,
			want:    []string{"The filter on dp_rank was not applied: sglang:time_to_first_token_seconds has no such label."},
		},
		"a quantile beyond the last finite bucket": {
			engines: []engine{vllmEngine("engine-0", buckets(firstTokens, vllmLabels, []string{"1.0", "2.5"}, 90, 95, 100))},
			q:       quantile("ttft", 0.99),
			value:   2.5,
			want: []string{"TTFT P99 sits on the last finite bucket (2.5 s) at times: there the true value is higher.",
				"Up to 5 % of observations lie beyond the last finite bucket, 2.5 s."},
			not: []string{"first bucket"},
		},
		"a quantile before it": {
			engines: []engine{vllmEngine("engine-0", buckets(firstTokens, vllmLabels, []string{"1.0", "2.5"}, 90, 95, 100))},
			q:       quantile("ttft", 0.93),
			value:   1.9,
			not:     []string{"first bucket", "last finite bucket"},
			want:    []string{"stays within one bucket (1 s to 2.5 s): where in it is interpolated, not measured."},
		},
		"a quantile inside the first bucket": {
			engines: []engine{vllmEngine("engine-0", buckets("vllm:request_queue_time_seconds", vllmLabels, []string{"0.3", "0.5"}, 10, 10, 10))},
			q:       quantile("queue_time", 0.99),
			value:   0.297,
			want:    []string{"lies in the first bucket (≤ 300 ms) at times: there it is only an upper bound."},
			not:     []string{"last finite bucket"},
		},
		// 30 of 60 observations lie up to 1 s, all up to 4 s; the bound of 2 s, which one
		// engine lacks, would put only 40 up to there.
		"unequal buckets": {
			engines: []engine{vllmEngine("engine-0", fine), vllmEngine("engine-1", coarse), vllmEngine("engine-2", fine)},
			q:       quantile("e2e_latency", 0.75),
			value:   2.5,
			want:    []string{"The engines use 2 different sets of buckets; only the 3 bounds that all share are merged, so the quantile is coarser."},
		},
		// The same three engines, two of them under the name of an older version.
		"unequal buckets behind two names": {
			engines: []engine{
				vllmEngine("engine-0", buckets("vllm:inter_token_latency_seconds", vllmLabels, []string{"1.0", "4.0"}, 10, 20, 20)),
				vllmEngine("engine-1", buckets("vllm:time_per_output_token_seconds", vllmLabels, []string{"1.0", "2.0", "4.0"}, 10, 20, 20, 20)),
				vllmEngine("engine-2", buckets("vllm:time_per_output_token_seconds", vllmLabels, []string{"1.0", "4.0"}, 10, 20, 20)),
			},
			q: quantile("itl", 0.75), value: 2.5, want: []string{"different sets of buckets"},
		},
		"equal buckets": {
			engines: []engine{vllmEngine("engine-0", fine), vllmEngine("engine-1", fine)},
			q:       quantile("e2e_latency", 0.75),
			value:   1.5,
			not:     []string{"different sets"},
		},
		"an engine that two jobs scrape": {
			engines: []engine{{"engine-0", "a", still(vllmProbe)}, {"engine-0", "b", still(vllmProbe)}},
			q:       query.Query{Signal: "requests_running"},
			value:   6.0,
			want:    []string{"vLLM is scraped by several jobs (engine-0): every sum counts it once for each job. Filter on job or scrape it once."},
		},
		"more series than the limit": {
			engines:  []engine{vllmEngine("engine-0"), vllmEngine("engine-1"), vllmEngine("engine-2")},
			settings: map[string]any{"seriesLimit": 1},
			q:        query.Query{Signal: "requests_running", GroupBy: []string{"instance"}},
			value:    3.0,
			want:     []string{"3 series, the first 1 shown: narrow the query by a filter or group it by fewer labels."},
		},
		// 460 falls to 0 at second 47.
		"an engine that restarted": {
			engines: []engine{{"engine-0", "llm", func(second int) string {
				return fmt.Sprintf("%s\nvllm:generation_tokens_total{%s} %d\n", vllmProbe, vllmLabels, 10*(second%47)+1)
			}}},
			q:    query.Query{Signal: "decode_token_rate"},
			want: []string{"1 counter reset in this time range (an engine restarted): rates are right across them, cumulative values fall."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := exposed(t, test.settings, time.Second, test.engines...)
			got := r.ask(t, test.q, askedFrom, askedTo)
			if test.value != nil {
				require.Len(t, got.curves, 1, "%s %v", got.labels(), got.notices)
				require.Len(t, got.curves[0].points, int((askedTo-askedFrom)/time.Second))
				for at, v := range got.curves[0].points {
					require.InDelta(t, test.value, v, 1e-9, "at %s, %v", at, got.notices)
				}
			}
			said := strings.Join(got.notices, "\n")
			for _, want := range test.want {
				require.Equal(t, 1, strings.Count(said, want), "%q in\n%s", want, said)
			}
			for _, not := range test.not {
				require.NotContains(t, said, not)
			}
		})
	}
}

func TestAWindowUnderTwoScrapesIsRefused(t *testing.T) {
	r := exposed(t, nil, 5*time.Second, vllmEngine("engine-0", "vllm:generation_tokens_total{"+vllmLabels+"} 10"))
	got := respond(t, r.source, r.query(t, query.Query{Signal: "decode_token_rate", Window: "9s"}, askedFrom, askedTo))
	require.ErrorContains(t, got.Error, `window: "9s" is not allowed: a rate needs two samples: take at least twice the scrape interval, 10s`)
	require.EqualValues(t, http.StatusBadRequest, got.Status)
	require.Equal(t, backend.ErrorSourceDownstream, got.ErrorSource)

	fits := r.ask(t, query.Query{Signal: "decode_token_rate", Window: "11s"}, askedFrom, askedTo)
	require.InDelta(t, 10, fits.of(t).mean(), 1e-9)
}

// Prometheus remarks on every counter whose name does not end like one.
func TestRemarksOfTheServerArePassedOnExceptOnKnownCounters(t *testing.T) {
	const remark = "metric might not be a counter"
	source := opened(t, theDefaultCluster(t).server.URL(), map[string]any{})
	known := map[string]bool{}
	for _, b := range source.List(t.Context()).Bindings {
		for _, name := range b.Metrics {
			ends := func(suffix string) bool { return strings.HasSuffix(name, suffix) }
			if b.Type == "counter" && !ends("_total") && !ends("_sum") && !ends("_count") && !ends("_bucket") {
				known[name] = true
			}
		}
	}
	require.NotEmpty(t, known)
	page := "somebodys_counter 10\n"
	for name := range known {
		page += name + " 10\n"
	}
	r := exposed(t, nil, time.Second, vllmEngine("engine-0", page))
	remarks := func(name string) string {
		got := r.ask(t, query.Query{Expr: "rate(" + name + "[4s])"}, askedFrom, askedTo)
		require.NotEmpty(t, got.curves, name)
		return strings.Join(got.notices, "\n")
	}
	require.Contains(t, remarks("somebodys_counter"), remark)
	for name := range known {
		require.NotContains(t, remarks(name), remark)
	}
}

// A store behind Thanos that does not answer is a warning.
func TestWarningsOfTheServerArePassedOn(t *testing.T) {
	r := theDefaultCluster(t)
	target, err := url.Parse(r.server.URL())
	require.NoError(t, err)
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(target)
			request.Out.Header.Del("Accept-Encoding") // the answer is rewritten below
		},
		Transport: &http.Transport{DisableCompression: true},
		ModifyResponse: func(response *http.Response) error {
			text, err := io.ReadAll(response.Body)
			text = bytes.Replace(text, []byte(`{"status":"success",`), []byte(`{"status":"success","warnings":["a store did not answer"],"infos":["PromQL info: something else"],`), 1)
			response.Body = io.NopCloser(bytes.NewReader(text))
			response.Header.Del("Content-Length")
			return err
		},
	}
	partial := httptest.NewServer(proxy)
	t.Cleanup(partial.Close)
	got := respond(t, opened(t, partial.URL, map[string]any{}), r.query(t, query.Query{Signal: "requests_running"}, settled, ended))
	require.NoError(t, got.Error)
	said := r.read(t, got.Frames).notices
	require.Contains(t, said, "a store did not answer")
	require.Contains(t, said, "PromQL info: something else")
}

// Buckets that share no bound have no common quantile, which is not idleness.
func TestBucketsWithoutACommonBoundAreNotCalledIdle(t *testing.T) {
	r := exposed(t, nil, time.Second,
		vllmEngine("engine-0", buckets(firstTokens, vllmLabels, []string{"1.0", "3.0"}, 5, 10, 10)),
		vllmEngine("engine-1", buckets(firstTokens, vllmLabels, []string{"2.0", "4.0"}, 5, 10, 10)))
	got := r.ask(t, query.Query{Signal: "ttft"}, askedFrom, askedTo)
	require.Empty(t, got.curves)
	require.Contains(t, strings.Join(got.notices, "\n"), "share no bound")
	require.NotContains(t, strings.Join(got.notices, "\n"), "Nothing was observed")
}
