package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestHeatmapsKeepTheBuckets(t *testing.T) {
	heatmap := statistic(query.StatHeatmap)
	for name, tt := range map[string]struct {
		request compile.Request
		want    []string
	}{
		"of SGLang by model": {
			ask("ttft", of("sglang"), byModel, heatmap),
			[]string{`sglang: sum by (le, model_name) (rate(sglang:time_to_first_token_seconds_bucket{engine_type="decode"}[4s]))`},
		},
		"each role of vLLM is a heatmap of its own": {
			ask("ttft", of("vllm"), perRole, heatmap, windowed),
			[]string{
				`vllm/prefill: sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"prefill.*"}[30s]))`,
				`vllm/decode: sum by (le) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"decode.*"}[30s]))`,
			},
		},
		"copies of ranks count once": {
			ask("kv_transfer_latency", of("sglang"), heatmap),
			[]string{`sglang: sum by (le) (avg without (attn_cp_rank, moe_ep_rank, pid, pp_rank, tp_rank) (rate(sglang:kv_transfer_latency_ms_bucket{engine_type="prefill"}[4s])))`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, tt.want, promqls(planned(t, tt.request)))
		})
	}
}

func TestAHeatmapSaysHowItsBoundsAreRead(t *testing.T) {
	seconds := planned(t, ask("ttft", of("sglang"), statistic(query.StatHeatmap)))
	require.Equal(t, &compile.BucketScale{Unit: "s", Mul: 1, Div: 1}, seconds.Expressions[0].Buckets)
	require.Equal(t, "suffix:requests/s", seconds.Unit, "the numbers are counts and not times")
	milliseconds := planned(t, ask("kv_transfer_latency", of("sglang"), statistic(query.StatHeatmap)))
	require.Equal(t, &compile.BucketScale{Unit: "s", Mul: 1, Div: 1000}, milliseconds.Expressions[0].Buckets)
	require.Contains(t, milliseconds.Explanation, "bounds of buckets: ms → s")
	require.NotContains(t, milliseconds.Expressions[0].PromQL, "1000", "counts are not converted")
}

func TestHeatmapsCountEachSecond(t *testing.T) {
	// As spread says: 50 up to 0.1 s, 40 more up to 0.5 s, 10 more up to 1 s.
	check(t, map[string]numbers{
		"a bucket counts all below it until the frame is made": {spread, ask("ttft", of("sglang"), statistic(query.StatHeatmap)), map[string]float64{
			`{le="0.1", system="sglang"}`: 50, `{le="0.5", system="sglang"}`: 90, `{le="1.0", system="sglang"}`: 100, `{le="+Inf", system="sglang"}`: 100,
		}},
	})
}

func TestWhatHasNoHeatmapSaysSo(t *testing.T) {
	native := server("vllm", deployment.RoleByNothing, "vllm:time_to_first_token_seconds")
	p := planned(t, ask("ttft", holding(native), statistic(query.StatHeatmap)))
	require.Empty(t, p.Expressions)
	require.Contains(t, texts(p), "error: Only native histograms are exported here; a heatmap of them is not supported yet. Take a quantile or the mean.")

	_, err := compiler(t).Compile(ask("prefill_request_rate", statistic(query.StatHeatmap)))
	require.ErrorContains(t, err, `stat: "heatmap" is not allowed`)
	r := ask("ttft", statistic(query.StatHeatmap))
	r.Query.Format = query.FormatTable
	require.ErrorContains(t, r.Query.Validate(), "format")
}

func TestAHeatmapOfDifferentBucketsHasThoseThatAllShare(t *testing.T) {
	r := ask("ttft", of("sglang"), statistic(query.StatHeatmap))
	selector := `sglang:time_to_first_token_seconds_bucket{engine_type="decode"}`
	r.Layouts = map[string]deployment.Layout{selector: {Different: 2, Common: []string{"0.1", "1.0", "+Inf"}}}
	p := planned(t, r)
	require.Equal(t, []string{`sglang: sum by (le) (rate(sglang:time_to_first_token_seconds_bucket{engine_type="decode",le=~"\\+Inf|0\\.1|1\\.0"}[4s]))`}, promqls(p))
	require.Contains(t, texts(p), "The engines use 2 different sets of buckets; only the 3 bounds that all share are merged, so the heatmap is coarser.")
}
