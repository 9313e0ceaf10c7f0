package simulator_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/prometheus/client_golang/api"
	apiv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/promserver"
	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// ask evaluates an expression which gives at most one value.
func ask(t *testing.T, prom apiv1.API, at time.Time, expression string) (float64, bool) {
	t.Helper()
	value, _, _, err := prom.Query(t.Context(), expression, at)
	require.NoError(t, err, expression)
	vector := value.(model.Vector)
	if len(vector) == 0 {
		return 0, false
	}
	require.Len(t, vector, 1, expression)
	return float64(vector[0].Value), true
}

func client(t *testing.T, server *promserver.Server) apiv1.API {
	t.Helper()
	c, err := api.NewClient(api.Config{Address: server.URL()})
	require.NoError(t, err)
	return apiv1.NewAPI(c)
}

func TestRightQueriesOverAReplayGiveTheTruth(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	prom := client(t, server)

	s := newSimulation(t, simulator.DefaultCluster())
	start := time.Now().Add(-2 * time.Hour).Truncate(time.Second)
	began := time.Now()
	require.NoError(t, s.Replay(t.Context(), server, start, 120*time.Second, time.Second))
	t.Logf("120 virtual seconds of %d targets in %s", len(s.Targets()), time.Since(began))

	from, to := 60*time.Second, 120*time.Second
	// increase extrapolates; the exact one is the difference of two samples.
	difference := func(selector string) string {
		return fmt.Sprintf("sum(%[1]s) - sum(%[1]s offset 60s)", selector)
	}
	for _, g := range simulator.DefaultCluster().Groups {
		s := s.Truth()
		byModel := simulator.Selector{Model: g.Model}
		prefill, decode := "vllm:request_success_total{instance=~\"prefill.*\",finished_reason!~\"abort|error\",", "vllm:request_success_total{instance=~\"decode.*\",finished_reason!~\"abort|error\","
		if g.Engine == simulator.SGLang {
			prefill, decode = "sglang:num_requests_total{engine_type=\"prefill\",", "sglang:num_requests_total{engine_type=\"decode\","
		}
		bytes := string(g.Engine) + ":flagcx_total_bytes_transferred_total{"
		of := fmt.Sprintf("model_name=%q}", g.Model)
		for selector, truth := range map[string]float64{
			prefill + of: s.Count(simulator.PrefillCompleted, byModel, from+1, to+1),
			decode + of:  s.Count(simulator.DecodeCompleted, byModel, from+1, to+1),
			bytes + of:   s.Count(simulator.KVTransferBytes, byModel, from+1, to+1),
		} {
			exact, ok := ask(t, prom, start.Add(to), difference(selector))
			require.True(t, ok, selector)
			require.Equal(t, truth, exact, selector)
			rate, ok := ask(t, prom, start.Add(to), "sum(rate("+selector+"[60s]))")
			require.True(t, ok)
			require.InEpsilon(t, truth/60, rate, 0.01, selector)
		}

		ttft := fmt.Sprintf("histogram_quantile(0.9, sum by (le) (rate(%s:time_to_first_token_seconds_bucket{instance=~\"decode.*\",%s[60s])))", g.Engine, of)
		got, ok := ask(t, prom, start.Add(to), ttft)
		require.True(t, ok)
		exact := simulator.Quantile(0.9, s.Samples(simulator.TTFT, simulator.Selector{Model: g.Model, Role: simulator.Decode}, from, to))
		require.GreaterOrEqual(t, got, exact/2.6, "within the bucket")
		require.LessOrEqual(t, got, exact*2.6, "within the bucket")

		// The trap: copies of ranks count a request several times.
		if g.Name == "qwen" {
			count := fmt.Sprintf("sum(rate(sglang:kv_transfer_latency_ms_count{%s[60s]))", of)
			four, _ := ask(t, prom, start.Add(to), count)
			once, _ := ask(t, prom, start.Add(to), fmt.Sprintf("sum(avg without (tp_rank) (rate(sglang:kv_transfer_latency_ms_count{%s[60s])))", of))
			require.InEpsilon(t, 4*once, four, 1e-9)
			require.InEpsilon(t, s.Rate(simulator.KVTransfers, byModel, from, to), once, 0.01)
		}
	}
}

func TestReplayLeavesAGapWhereAnInstanceIsDown(t *testing.T) {
	server, err := promserver.Start(t.Context(), promserver.Config{})
	require.NoError(t, err)
	defer func() { require.NoError(t, server.Close()) }()
	g := group(simulator.VLLM)
	g.PrefillInstances.Count = 2
	g.Restart = &simulator.Restart{Instance: "prefill-0.g", At: 4500 * time.Millisecond, Down: 3 * time.Second}
	s := newSimulation(t, cluster(g))
	start := time.Now().Add(-time.Minute).Truncate(time.Second)
	require.NoError(t, s.Replay(t.Context(), server, start, 10*time.Second, time.Second))
	value, ok := ask(t, client(t, server), start.Add(10*time.Second), `count_over_time(up{instance="prefill-0.g"}[20s])`)
	require.True(t, ok)
	require.Equal(t, 8.0, value, "11 scrapes, 3 of them without an answer")
	require.Error(t, s.Replay(t.Context(), server, start, 20*time.Second, 0))
}

func TestALiveClusterIsScrapedUnderItsInstanceNames(t *testing.T) {
	s := newSimulation(t, simulator.DefaultCluster())
	// Not from an empty start.
	require.NoError(t, s.AdvanceTo(5*time.Second))
	live, err := s.Serve(t.Context())
	require.NoError(t, err)
	var targets []promserver.Target
	for _, e := range live.Endpoints() {
		targets = append(targets, promserver.Target{Address: e.Address, Labels: e.Target.Labels()})
	}
	server, err := promserver.Start(t.Context(), promserver.Config{ScrapeInterval: 500 * time.Millisecond, Targets: targets})
	require.NoError(t, err)
	prom := client(t, server)
	require.Eventually(t, func() bool {
		up, ok := ask(t, prom, time.Now(), `count(up{instance=~"(prefill|decode)-.*",job=~"vllm|sglang"} == 1)`)
		return ok && up == float64(len(targets))
	}, 30*time.Second, 100*time.Millisecond)
	require.Eventually(t, func() bool {
		rate, ok := ask(t, prom, time.Now(), `sum(rate(sglang:realtime_tokens_total{mode="decode"}[4s]))`)
		return ok && rate > 0
	}, 30*time.Second, 100*time.Millisecond)

	response, err := http.Get("http://" + live.Endpoints()[0].Address + "/metrics")
	require.NoError(t, err)
	page, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.True(t, bytes.HasPrefix(page, []byte("# HELP vllm:")))
	require.Contains(t, response.Header.Get("Content-Type"), "version=0.0.4")
	require.GreaterOrEqual(t, live.Elapsed(), 5*time.Second)

	require.NoError(t, server.Close())
	require.NoError(t, live.Close())
	require.NoError(t, live.Close())
	_, err = http.Get("http://" + live.Endpoints()[0].Address + "/metrics")
	require.Error(t, err)
}
