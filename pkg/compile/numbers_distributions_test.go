package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Each second brings 50 requests up to 0.1 s, 40 up to 0.5 s and 10 up to 1 s, 20 s in all.
const spread = `
	sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="0.1"} 0+50x60
	sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="0.5"} 0+90x60
	sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="1.0"} 0+100x60
	sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="+Inf"} 0+100x60
	sglang:time_to_first_token_seconds_count{engine_type="decode"} 0+100x60
	sglang:time_to_first_token_seconds_sum{engine_type="decode"} 0+20x60`

func TestStatisticsOfADistribution(t *testing.T) {
	sglang := func(v float64) map[string]float64 { return map[string]float64{`{system="sglang"}`: v} }
	ttft := of("sglang")
	check(t, map[string]numbers{
		// The 50th of 100 is the last of the first bucket.
		"P50": {spread, ask("ttft", ttft, quantile(0.5)), sglang(0.1)},
		// 5 of the last 10 in 0.5…1: 0.5 + 0.5 × 5/10.
		"P95": {spread, ask("ttft", ttft, quantile(0.95)), sglang(0.75)},
		// 9 of the last 10: 0.5 + 0.5 × 9/10.
		"P99":                       {spread, ask("ttft", ttft, quantile(0.99)), sglang(0.95)},
		"P99 is what nothing means": {spread, ask("ttft", ttft), sglang(0.95)},
		// 20 s over 100 requests.
		"the mean":              {spread, ask("ttft", ttft, statistic(query.StatMean)), sglang(0.2)},
		"the mean over 30 s":    {spread, ask("ttft", ttft, statistic(query.StatMean), windowed), sglang(0.2)},
		"observations a second": {spread, ask("ttft", ttft, statistic(query.StatRate)), sglang(100)},
		"idle has no quantile": {`
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="0.1"} 5x60
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="+Inf"} 7x60`,
			ask("ttft", ttft), map[string]float64{}},
		"idle has no mean": {`
			sglang:time_to_first_token_seconds_count{engine_type="decode"} 7x60
			sglang:time_to_first_token_seconds_sum{engine_type="decode"} 9x60`,
			ask("ttft", ttft, statistic(query.StatMean)), map[string]float64{}},
		// streaming and not, priorities: disjoint children of one histogram, 2 × 50 below 0.1 of 100.
		"streaming and priority children merge": {`
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="0.1",is_streaming="true"} 0+50x60
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="+Inf",is_streaming="true"} 0+50x60
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="0.1",is_streaming="false",priority="1"} 0+50x60
			sglang:time_to_first_token_seconds_bucket{engine_type="decode",le="+Inf",is_streaming="false",priority="1"} 0+50x60`,
			ask("ttft", ttft, quantile(0.5)), sglang(0.05)},
	})
}

func TestRanksOfHistograms(t *testing.T) {
	// Engine a runs on four ranks that repeat 100 requests below 0.1 s; engine b on
	// one, 100 requests in 0.1…1 s. Both weigh the same: P75 is the middle of b's.
	const unequal = `
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="0",le="0.1"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="0",le="1.0"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="0",le="+Inf"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="1",le="0.1"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="1",le="1.0"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="1",le="+Inf"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="2",le="0.1"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="2",le="1.0"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="a",engine_type="prefill",tp_rank="2",le="+Inf"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="b",engine_type="prefill",tp_rank="0",le="0.1"} 0+0x60
		sglang:queue_time_seconds_bucket{instance="b",engine_type="prefill",tp_rank="0",le="1.0"} 0+100x60
		sglang:queue_time_seconds_bucket{instance="b",engine_type="prefill",tp_rank="0",le="+Inf"} 0+100x60
		sglang:queue_time_seconds_count{instance="a",engine_type="prefill",tp_rank="0"} 0+100x60
		sglang:queue_time_seconds_count{instance="a",engine_type="prefill",tp_rank="1"} 0+100x60
		sglang:queue_time_seconds_count{instance="a",engine_type="prefill",tp_rank="2"} 0+100x60
		sglang:queue_time_seconds_count{instance="b",engine_type="prefill",tp_rank="0"} 0+100x60`
	prefill := func(v float64) map[string]float64 { return map[string]float64{`{role="prefill", system="sglang"}`: v} }
	check(t, map[string]numbers{
		// 0.1 + 0.9 × 50/100; with a's copies counted it would be 0.1.
		"engines of different rank counts weigh the same": {unequal, ask("queue_time", of("sglang"), on(query.RolePrefill), quantile(0.75)), prefill(0.55)},
		"requests are counted, not rank copies":           {unequal, ask("queue_time", of("sglang"), on(query.RolePrefill), statistic(query.StatRate)), prefill(200)},
		// Data-parallel ranks have requests of their own: 60 + 40.
		"data-parallel ranks of a histogram add up": {`
			sglang:queue_time_seconds_count{engine_type="prefill",tp_rank="0",dp_rank="0"} 0+60x60
			sglang:queue_time_seconds_count{engine_type="prefill",tp_rank="1",dp_rank="1"} 0+40x60`,
			ask("queue_time", of("sglang"), on(query.RolePrefill), statistic(query.StatRate)), prefill(100)},
	})
}

func TestUnitsOfTransferLatency(t *testing.T) {
	// Two rank copies; 50 transfers up to 10 ms and 50 up to 100 ms each second, 3000 ms in all.
	const transfers = `
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="0",le="10.0"} 0+50x60
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="0",le="100.0"} 0+100x60
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="0",le="+Inf"} 0+100x60
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="1",le="10.0"} 0+50x60
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="1",le="100.0"} 0+100x60
		sglang:kv_transfer_latency_ms_bucket{engine_type="prefill",tp_rank="1",le="+Inf"} 0+100x60
		sglang:kv_transfer_latency_ms_count{engine_type="prefill",tp_rank="0"} 0+100x60
		sglang:kv_transfer_latency_ms_count{engine_type="prefill",tp_rank="1"} 0+100x60
		sglang:kv_transfer_latency_ms_sum{engine_type="prefill",tp_rank="0"} 0+3000x60
		sglang:kv_transfer_latency_ms_sum{engine_type="prefill",tp_rank="1"} 0+3000x60`
	sglang := func(v float64) map[string]float64 { return map[string]float64{`{system="sglang"}`: v} }
	check(t, map[string]numbers{
		"P50, 10 ms": {transfers, ask("kv_transfer_latency", of("sglang"), quantile(0.5)), sglang(0.01)},
		// 10 + 90 × 45/50 = 91 ms.
		"P95, 91 ms":          {transfers, ask("kv_transfer_latency", of("sglang"), quantile(0.95)), sglang(0.091)},
		"the mean, 30 ms":     {transfers, ask("kv_transfer_latency", of("sglang"), statistic(query.StatMean)), sglang(0.03)},
		"transfers, unscaled": {transfers, ask("kv_transfer_latency", of("sglang"), statistic(query.StatRate)), sglang(100)},
		"NIXL is in seconds as is": {`
			vllm:nixl_xfer_time_seconds_sum{instance="decode-0"} 0+2x60
			vllm:nixl_xfer_time_seconds_count{instance="decode-0"} 0+10x60`,
			ask("kv_transfer_latency", of("nixl"), statistic(query.StatMean), perRole), map[string]float64{`{system="nixl"}`: 0.2}},
	})
}

func TestLatenciesOfTheTwoRolesAreNeverMerged(t *testing.T) {
	// Prefill: all in 0…0.1 s; decode: all in 0.1…1 s.
	const legs = `
		vllm:time_to_first_token_seconds_bucket{instance="prefill-0",le="0.1"} 0+100x60
		vllm:time_to_first_token_seconds_bucket{instance="prefill-0",le="1.0"} 0+100x60
		vllm:time_to_first_token_seconds_bucket{instance="prefill-0",le="+Inf"} 0+100x60
		vllm:time_to_first_token_seconds_bucket{instance="decode-0",le="0.1"} 0+0x60
		vllm:time_to_first_token_seconds_bucket{instance="decode-0",le="1.0"} 0+100x60
		vllm:time_to_first_token_seconds_bucket{instance="decode-0",le="+Inf"} 0+100x60`
	check(t, map[string]numbers{
		"each role is a series": {legs, ask("ttft", of("vllm"), perRole, quantile(0.5)),
			map[string]float64{`{role="prefill", system="vllm"}`: 0.05, `{role="decode", system="vllm"}`: 0.55}},
		"one role alone": {legs, ask("ttft", of("vllm"), perRole, quantile(0.5), on(query.RoleDecode)),
			map[string]float64{`{role="decode", system="vllm"}`: 0.55}},
		// vLLM's prefill adds a 0 per request to this one; it is decode's.
		"time per output token is decode's": {`
			vllm:request_time_per_output_token_seconds_sum{instance="prefill-0"} 0+0x60
			vllm:request_time_per_output_token_seconds_count{instance="prefill-0"} 0+10x60
			vllm:request_time_per_output_token_seconds_sum{instance="decode-0"} 0+0.5x60
			vllm:request_time_per_output_token_seconds_count{instance="decode-0"} 0+10x60`,
			ask("tpot", of("vllm"), perRole, statistic(query.StatMean)), map[string]float64{`{system="vllm"}`: 0.05}},
	})
}

func TestNamesOfHistograms(t *testing.T) {
	check(t, map[string]numbers{
		// decode-0 is new, decode-1 old: 100 in 0…0.1 and 100 in 0.1…1, P75 = 0.55.
		"old and new engines merge": {`
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="0.1"} 0+100x60
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="1.0"} 0+100x60
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="+Inf"} 0+100x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-1",le="0.1"} 0+0x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-1",le="1.0"} 0+100x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-1",le="+Inf"} 0+100x60`,
			ask("itl", of("vllm"), perRole, quantile(0.75)), map[string]float64{`{system="vllm"}`: 0.55}},
		// The engine exports both names with different bounds; only the new one's count:
		// all 100 in 0.01…0.1, P50 = 0.055. With 0.05 of the old name it would be 0.03.
		"bounds of an old name do not slip between those of the new one": {`
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="0.01"} 0+0x60
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="0.1"} 0+100x60
			vllm:inter_token_latency_seconds_bucket{instance="decode-0",le="+Inf"} 0+100x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-0",le="0.05"} 0+100x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-0",le="0.1"} 0+100x60
			vllm:time_per_output_token_seconds_bucket{instance="decode-0",le="+Inf"} 0+100x60`,
			ask("itl", of("vllm"), perRole, quantile(0.5)), map[string]float64{`{system="vllm"}`: 0.055}},
	})
}

// Where only the native form is stored there is no le, no _sum and no _count.
func TestNativeHistograms(t *testing.T) {
	// Each second 10 requests in (1 s, 2 s] of the exponential layout, 15 s in all.
	const native = `
		vllm:time_to_first_token_seconds{instance="decode-0",model_name="m"} {{schema:0 sum:0 count:0 buckets:[0 0]}}+{{schema:0 sum:15 count:10 buckets:[0 10]}}x60`
	held := holding(server("vllm", deployment.RoleByMatchers, "vllm:time_to_first_token_seconds"))
	want := func(v float64) map[string]float64 {
		return map[string]float64{`{model="m", role="decode", system="vllm"}`: v}
	}
	check(t, map[string]numbers{
		"the mean":              {native, ask("ttft", of("vllm"), on(query.RoleDecode), perRole, byModel, held, statistic(query.StatMean)), want(1.5)},
		"observations a second": {native, ask("ttft", of("vllm"), on(query.RoleDecode), perRole, byModel, held, statistic(query.StatRate)), want(10)},
		// The middle of an exponential bucket is its geometric mean, √(1 × 2).
		"P50": {native, ask("ttft", of("vllm"), on(query.RoleDecode), perRole, byModel, held, quantile(0.5)), want(1.4142135623730951)},
	})
}
