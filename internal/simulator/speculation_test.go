package simulator_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/internal/simulator"
)

func TestRoundsOfDraftsYieldTheTokensThatAreThere(t *testing.T) {
	g := eventful(simulator.VLLM)
	acceptance := []float64{0.8, 0.5, 0.1}
	g.OutputTokens = simulator.Fixed(40)
	g.Speculation = &simulator.Speculation{Acceptance: acceptance}
	s := newSimulation(t, cluster(g))
	page := append(scrape(t, s, "decode-0.g", settled), scrape(t, s, "decode-1.g", settled)...)
	sum := func(name string, pairs ...string) float64 {
		return page.of("vllm:spec_decode_num_"+name, pairs...).sum()
	}
	count := func(e simulator.Event) float64 {
		return s.Truth().Count(e, simulator.Selector{Role: simulator.Decode}, 0, settled+1)
	}
	rounds, accepted := sum("drafts_total"), sum("accepted_tokens_total")
	require.Equal(t, count(simulator.Drafts), rounds)
	require.Equal(t, count(simulator.DraftTokens), sum("draft_tokens_total"))
	require.Equal(t, count(simulator.AcceptedTokens), accepted)
	require.Equal(t, 3*rounds, sum("draft_tokens_total"))
	for n, share := range acceptance {
		require.InDelta(t, share, sum("accepted_tokens_per_pos_total", "position", fmt.Sprint(n))/rounds, 0.03)
	}
	// Each round is its accepted tokens and one more, cut short where the output ends.
	produced := count(simulator.OutputTokens)
	require.GreaterOrEqual(t, rounds+accepted, produced)
	requests := float64(len(s.Truth().Requests(simulator.Selector{})))
	require.LessOrEqual(t, rounds+accepted, produced+3*requests)
	require.Empty(t, scrape(t, s, "prefill-0.g", settled).of("vllm:spec_decode_num_drafts_total"))
}

func TestSGLangShowsTheDraftsOfItsLastLogLine(t *testing.T) {
	g := eventful(simulator.SGLang)
	g.Speculation = &simulator.Speculation{Acceptance: []float64{0.9, 0.5}}
	s := newSimulation(t, cluster(g))
	require.Empty(t, scrape(t, s, "decode-0.g", 0).of("sglang:spec_accept_rate"), "it appears with the first line")
	share, length, n := 0.0, 0.0, 0.0
	for at := time.Second; at <= settled; at += 400 * time.Millisecond {
		page := scrape(t, s, "decode-0.g", at)
		require.Len(t, page.of("sglang:spec_accept_rate"), 1, "of the first rank alone")
		share, length, n = share+page.of("sglang:spec_accept_rate").sum(), length+page.of("sglang:spec_accept_length").sum(), n+1
	}
	require.InDelta(t, 0.7, share/n, 0.03)
	require.InDelta(t, 1+0.9+0.5, length/n, 0.06)
}

func TestPassesRunInAGraphThatIsLargeEnough(t *testing.T) {
	const name = "sglang:cuda_graph_passes_total"
	share := func(batch int) float64 {
		g := eventful(simulator.SGLang)
		g.CUDAGraphBatch = batch
		page := scrape(t, newSimulation(t, cluster(g)), "decode-0.g", settled)
		require.Len(t, page.of(name, "mode", "decode_cuda_graph"), 2, "a copy of each rank")
		return page.of(name, "mode", "decode_cuda_graph").sum() / page.of(name).sum()
	}
	require.Equal(t, 1.0, share(1000))
	few := share(1)
	require.Positive(t, few)
	require.Less(t, few, 0.9)

	g := eventful(simulator.SGLang)
	g.CUDAGraphBatch = 8
	s := newSimulation(t, cluster(g))
	started := 0.0
	require.NoError(t, s.AdvanceTo(settled))
	for _, r := range s.Truth().Requests(simulator.Selector{Role: simulator.Prefill, Instance: "prefill-0.g"}) {
		if r.PrefillStart >= 0 {
			started++
		}
	}
	prompts := scrape(t, s, "prefill-0.g", settled).of(name, "mode", "prefill_none")
	require.Equal(t, 2*started, prompts.sum(), "each DP scheduler's two ranks repeat its own")
}
