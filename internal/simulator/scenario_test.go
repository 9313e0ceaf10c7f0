package simulator_test

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

// scenario runs a scenario up to a time.
func scenario(t *testing.T, name string, to time.Duration) *simulator.Simulation {
	t.Helper()
	found, err := simulator.ScenarioNamed(name)
	require.NoError(t, err)
	s := newSimulation(t, found.Cluster)
	require.NoError(t, s.AdvanceTo(to))
	return s
}

func TestEveryScenarioRepeatsItselfAndExportsValidPages(t *testing.T) {
	names := map[string]bool{}
	for _, one := range simulator.Scenarios() {
		t.Run(one.Name, func(t *testing.T) {
			require.NotEmpty(t, one.About)
			require.False(t, names[one.Name])
			names[one.Name] = true
			first, second := newSimulation(t, one.Cluster), newSimulation(t, one.Cluster)
			for _, target := range first.Targets() {
				var a, b bytes.Buffer
				errA, errB := first.Write(&a, target, 70*time.Second), second.Write(&b, target, 70*time.Second)
				require.Equal(t, errA, errB)
				require.Equal(t, a.String(), b.String())
				parser := expfmt.NewTextParser(model.UTF8Validation)
				_, err := parser.TextToMetricFamilies(&a)
				require.NoError(t, err, target.Name)
			}
		})
	}
	require.Len(t, names, len(simulator.Scenarios()))
	_, err := simulator.ScenarioNamed("chaos")
	require.ErrorContains(t, err, `"chaos": choose one of healthy, `)
}

// The times that are told are those at which it happens.
func TestWhatAScenarioDoesHappensWhenItSays(t *testing.T) {
	said := map[string]string{}
	for _, one := range simulator.Scenarios() {
		if when := one.When(); when != "" {
			said[one.Name] = when
		}
		for _, g := range one.Cluster.Groups {
			of := one
			of.Cluster.Groups = []simulator.Group{g}
			require.Equal(t, one.When(), of.When(), "%s: all groups are changed alike", one.Name)
		}
	}
	require.Equal(t, map[string]string{
		"idle":           "from 1m on",
		"restart":        "prefill-0 of each model is away from 5m to 5m20s",
		"kv-expiry":      "all the time, 10s after a prompt is computed",
		"nic-congestion": "from 1m on",
		"straggler-gpu":  "GPU 2 of prefill-0 of each model, from 1m on",
		"restart-storm":  "decode-0 of each model is away for 3s at 1m and again every 10s, 10000 times in all",
		"prefill-down":   "prefill-0 of each model is away from 2m on",
	}, said)

	type seen struct {
		at   time.Duration
		down bool
	}
	const moment = time.Millisecond
	for name, test := range map[string]struct {
		instance string
		seen     []seen
	}{
		"restart": {"prefill-0", []seen{
			{5*time.Minute - moment, false}, {5 * time.Minute, true}, {5*time.Minute + 20*time.Second - moment, true}, {5*time.Minute + 20*time.Second, false},
		}},
		"restart-storm": {"decode-0", []seen{
			{time.Minute - moment, false}, {time.Minute, true}, {63*time.Second - moment, true}, {63 * time.Second, false},
			{70*time.Second - moment, false}, {70 * time.Second, true}, {73 * time.Second, false},
		}},
		"prefill-down": {"prefill-0", []seen{{2*time.Minute - moment, false}, {2 * time.Minute, true}, {5 * time.Minute, true}}},
	} {
		s := scenario(t, name, 0)
		for _, one := range test.seen {
			for _, model := range []string{".llama", ".qwen"} {
				err := s.Write(&bytes.Buffer{}, simulator.Target{Name: test.instance + model}, one.at)
				require.Equal(t, one.down, errors.Is(err, simulator.ErrDown), "%s%s of %s at %s: %v", test.instance, model, name, one.at, err)
			}
		}
	}
	arrivals := scenario(t, "idle", 5*time.Minute).Truth()
	require.Positive(t, arrivals.Count(simulator.Arrivals, simulator.Selector{}, 50*time.Second, time.Minute))
	require.Zero(t, arrivals.Count(simulator.Arrivals, simulator.Selector{}, time.Minute, 5*time.Minute))
}

func TestTheDocumentationHasEveryScenario(t *testing.T) {
	page, err := os.ReadFile("../../docs/alerts.md")
	require.NoError(t, err)
	_, rows, _ := strings.Cut(string(page), "\n| scenario | what is wrong | when |\n|---|---|---|\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	var want []string
	for _, one := range simulator.Scenarios() {
		want = append(want, "| `"+one.Name+"` | "+one.About+" | "+cmp.Or(one.When(), "all the time")+" |")
	}
	require.Equal(t, want, strings.Split(rows, "\n"))
}

func TestPortsCarryEveryByteOfTheTransfersOnce(t *testing.T) {
	s := scenario(t, "nic-congestion", 50*time.Second)
	ofLlama := simulator.Selector{Model: "meta-llama/Llama-3.1-70B-Instruct"}
	bytes := s.Truth().Count(simulator.KVTransferBytes, ofLlama, 0, 50*time.Second+1)
	require.Positive(t, bytes)
	sent, received := scrape(t, s, "prefill-0.llama:9100", 50*time.Second), scrape(t, s, "decode-0.llama:9100", 50*time.Second)
	require.Equal(t, bytes, sent.of("node_infiniband_port_data_transmitted_bytes_total").sum())
	require.Equal(t, bytes, received.of("node_infiniband_port_data_received_bytes_total").sum())
	require.Len(t, sent.of("node_infiniband_port_data_transmitted_bytes_total"), 4, "a port for each rank")
	require.Zero(t, sent.of("node_infiniband_roce_adp_retransmits_total").sum(), "congestion begins at a minute")

	before := s.Truth().Samples(simulator.KVTransferLatency, ofLlama, 0, time.Minute)
	require.NoError(t, s.AdvanceTo(2*time.Minute))
	after := s.Truth().Samples(simulator.KVTransferLatency, ofLlama, 62*time.Second, 2*time.Minute)
	require.InEpsilon(t, 3*simulator.Quantile(0.5, before), simulator.Quantile(0.5, after), 0.05)
	congested := scrape(t, s, "prefill-0.llama:9100", 2*time.Minute)
	more := congested.of("node_infiniband_port_packets_transmitted_total").sum() - sent.of("node_infiniband_port_packets_transmitted_total").sum()
	require.InEpsilon(t, 0.001*more, congested.of("node_infiniband_roce_adp_retransmits_total").sum(), 0.2, "of the packets since the minute")
	require.Positive(t, congested.of("node_infiniband_port_transmit_wait_total").sum())
}

func TestADecodeThatRunsOutOfMemoryPreemptsAndFinishesAllTheSame(t *testing.T) {
	const to = 5 * time.Minute
	s := scenario(t, "thrash", to)
	for _, test := range []struct {
		model, instance, metric, usage string
		copies                         float64
	}{
		{"meta-llama/Llama-3.1-70B-Instruct", "decode-0.llama", "vllm:num_preemptions_total", "vllm:kv_cache_usage_perc", 1},
		{"Qwen/Qwen2.5-32B-Instruct", "decode-0.qwen", "sglang:num_retracted_requests_total", "sglang:token_usage", 4},
	} {
		page := scrape(t, s, test.instance, to)
		of := simulator.Selector{Model: test.model, Role: simulator.Decode}
		preempted := s.Truth().Count(simulator.Preemptions, of, 0, to+1)
		require.Greater(t, preempted, 50.0)
		require.Equal(t, test.copies*preempted, page.of(test.metric).sum())
		require.Greater(t, page.of(test.usage)[0].value, 0.9)
		require.InDelta(t, s.Truth().KVUsage(of, to), page.of(test.usage)[0].value, 1e-9)
		require.LessOrEqual(t, page.of(test.usage)[0].value, 1.0)
		require.Greater(t, s.Truth().Rate(simulator.DecodeCompleted, of, time.Minute, to), 0.5, "work goes on")
		for _, r := range s.Truth().Requests(of) {
			last := time.Duration(0)
			for _, at := range r.TokenTimes() {
				require.Greater(t, at, last, "tokens come one after the other")
				last = at
			}
			if r.Produced > 0 {
				require.Equal(t, r.LastToken, last)
			}
		}
	}
}

func TestALeaseThatRunsOutEndsTheRequest(t *testing.T) {
	const to = 2 * time.Minute
	s := scenario(t, "kv-expiry", to)
	expired := 0
	for _, r := range s.Truth().Requests(simulator.Selector{Model: "meta-llama/Llama-3.1-70B-Instruct"}) {
		if r.Outcome == simulator.Expired {
			expired++
			require.Equal(t, 10*time.Second, r.Ended-r.PrefillEnd)
			require.Negative(t, r.TransferStart, "what has begun to move does not expire")
		}
	}
	require.Greater(t, expired, 10)
	page := scrape(t, s, "prefill-0.llama", to)
	require.Equal(t, 4*float64(expired), page.of("vllm:nixl_num_kv_expired_reqs_total").sum(), "each rank counts")
}

func TestOneHotCardHoldsUpItsGroup(t *testing.T) {
	s := scenario(t, "straggler-gpu", 4*time.Minute)
	page := scrape(t, s, "prefill-0.llama:9400", 4*time.Minute)
	for _, card := range page.of("DCGM_FI_DEV_THERMAL_VIOLATION") {
		if card.labels.Get("gpu") == "2" {
			require.Positive(t, card.value)
		} else {
			require.Zero(t, card.value)
		}
	}
	quick := simulator.Quantile(0.5, s.Truth().Samples(simulator.PrefillTime, simulator.Selector{Role: simulator.Prefill}, 0, time.Minute))
	slow := simulator.Quantile(0.5, s.Truth().Samples(simulator.PrefillTime, simulator.Selector{Role: simulator.Prefill}, 61*time.Second, 4*time.Minute))
	require.InEpsilon(t, 1.8*quick, slow, 0.05)
}

func TestARestartStormShowsTheErrorOfItsCard(t *testing.T) {
	s := scenario(t, "restart-storm", 50*time.Second)
	require.Empty(t, scrape(t, s, "decode-0.qwen:9400", 50*time.Second).of("DCGM_FI_DEV_XID_ERRORS"), "it appears with the first error")
	page := scrape(t, s, "decode-0.qwen:9400", 95*time.Second)
	require.Equal(t, 79.0, page.of("DCGM_FI_DEV_XID_ERRORS").sum())
	require.Equal(t, 4.0, page.of("DCGM_EXP_XID_ERRORS_TOTAL").sum(), "at 60, 70, 80 and 90 seconds")
}

func TestTheGatewaySeesTheWholeRequest(t *testing.T) {
	const to = time.Minute
	s := scenario(t, "router-drift", to)
	page := scrape(t, s, "frontend:8000", to)
	all := s.Truth().Requests(simulator.Selector{})
	open := 0.0
	for _, r := range all {
		if r.Outcome == simulator.Open {
			open++
		}
	}
	require.Equal(t, float64(len(all)), page.of("dynamo_component_router_requests_total").sum())
	require.Equal(t, float64(len(all))-open, page.of("dynamo_frontend_requests_total").sum())
	require.Equal(t, open, page.of("dynamo_frontend_inflight_requests").sum())
	require.InDelta(t, 0.6, page.of("dynamo_component_router_kv_hit_rate_sum").sum()/page.of("dynamo_component_router_kv_hit_rate_count").sum(), 1e-9)
	require.Equal(t, s.Truth().Count(simulator.OutputTokens, simulator.Selector{}, 0, to+1), page.of("dynamo_frontend_output_tokens_total").sum())
}

func TestWrongFaultsAreRefusedByName(t *testing.T) {
	for want, change := range map[string]func(*simulator.Cluster){
		"groups[0].straggler.instance": func(c *simulator.Cluster) {
			c.Groups[0].Straggler = &simulator.Straggler{Instance: "decode-0.g", Slowdown: 2}
		},
		"groups[0].straggler is {slowdown: 1": func(c *simulator.Cluster) {
			c.Groups[0].Straggler = &simulator.Straggler{Instance: "prefill-0.g", Slowdown: 1}
		},
		"groups[0].linkFault":       func(c *simulator.Cluster) { c.Groups[0].LinkFault = &simulator.LinkFault{Slowdown: 0.5} },
		"groups[0].kvLease":         func(c *simulator.Cluster) { c.Groups[0].KVLease = -1 },
		"gateway.predictedHitShare": func(c *simulator.Cluster) { c.Gateway = &simulator.Gateway{PredictedHitShare: 2} },
		"groups[0].restart": func(c *simulator.Cluster) {
			c.Groups[0].Restart = &simulator.Restart{Instance: "prefill-0.g", At: 1, Times: 2}
		},
	} {
		c := cluster(group(simulator.VLLM))
		change(&c)
		_, err := simulator.New(c, epoch)
		require.ErrorContains(t, err, want)
	}
}
