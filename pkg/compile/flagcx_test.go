package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onFlagCX(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("flagcx")}, edits...)...)
}

// Prefill writes: successes are its own, decode has failures alone.
func TestPromQLOfFlagCX(t *testing.T) {
	sayExactly(t, map[string]wording{
		"latency under vLLM": {onFlagCX("kv_transfer_latency", vllmWith("vllm:flagcx_xfer_time_seconds_bucket")),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:flagcx_xfer_time_seconds_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
		"latency under SGLang": {onFlagCX("kv_transfer_latency", sglangWith("sglang:flagcx_xfer_time_seconds_bucket")),
			`histogram_quantile(0.99, sum by (le) (rate(sglang:flagcx_xfer_time_seconds_bucket{engine_type="prefill"}[4s]))) >= 0`},
		"sizes under vLLM": {onFlagCX("kv_transfer_size", byModel, vllmWith("vllm:flagcx_bytes_transferred_bucket")),
			`histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:flagcx_bytes_transferred_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
		"sizes under SGLang, every rank its own": {onFlagCX("kv_transfer_size", sglangWith("sglang:flagcx_bytes_transferred_bucket")),
			`histogram_quantile(0.99, sum by (le) (rate(sglang:flagcx_bytes_transferred_bucket{engine_type="prefill"}[4s]))) >= 0`},
		"descriptors under vLLM": {onFlagCX("kv_transfer_descriptors", statistic(query.StatMean), vllmWith("vllm:flagcx_num_descriptors_bucket")),
			`sum(rate(vllm:flagcx_num_descriptors_sum{instance=~"prefill.*"}[4s])) / (sum(rate(vllm:flagcx_num_descriptors_count{instance=~"prefill.*"}[4s])) > 0)`},
		"descriptors under SGLang": {onFlagCX("kv_transfer_descriptors", sglangWith("sglang:flagcx_num_descriptors_bucket")),
			`histogram_quantile(0.99, sum by (le) (rate(sglang:flagcx_num_descriptors_bucket{engine_type="prefill"}[4s]))) >= 0`},
		"transfers of both engines": {onFlagCX("kv_transfer_operation_rate", perRole),
			`sum(irate(vllm:flagcx_transfers_total{instance=~"prefill.*"}[4s]) or irate(sglang:flagcx_transfers_total{engine_type="prefill"}[4s]))`},
		"descriptors per second": {onFlagCX("kv_transfer_descriptor_rate", sglangWith("sglang:flagcx_total_descriptors_total")),
			`sum(irate(sglang:flagcx_total_descriptors_total{engine_type="prefill"}[4s]))`},
		"speed while busy under vLLM": {onFlagCX("kv_transfer_busy_throughput", vllmWith("vllm:flagcx_total_bytes_transferred_total", "vllm:flagcx_total_xfer_time_seconds_total")),
			`sum(rate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*"}[4s])) / (sum(rate(vllm:flagcx_total_xfer_time_seconds_total{instance=~"prefill.*"}[4s])) > 0)`},
		"speed while busy under SGLang": {onFlagCX("kv_transfer_busy_throughput", sglangWith("sglang:flagcx_total_bytes_transferred_total", "sglang:flagcx_total_xfer_time_seconds_total")),
			`sum(rate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s])) / (sum(rate(sglang:flagcx_total_xfer_time_seconds_total{engine_type="prefill"}[4s])) > 0)`},
		"failed receives are decode's": {onFlagCX("kv_receive_failure_rate", perRole),
			`sum(irate(vllm:flagcx_num_failed_recvs_total{instance=~"decode.*"}[4s]) or irate(sglang:flagcx_num_failed_recvs_total{engine_type="decode"}[4s]))`},
		"expired leases under vLLM": {onFlagCX("kv_lease_expiry_rate", vllmWith("vllm:flagcx_num_kv_expired_reqs_total")),
			`sum(irate(vllm:flagcx_num_kv_expired_reqs_total{instance=~"prefill.*"}[4s]))`},
		"expired leases under SGLang are repeated by the ranks": {onFlagCX("kv_lease_expiry_rate", sglangWith("sglang:flagcx_num_kv_expired_reqs_total")),
			`sum(avg ` + noRanks + ` (irate(sglang:flagcx_num_kv_expired_reqs_total{engine_type="prefill"}[4s])))`},
	})
}

func TestNumbersOfFlagCX(t *testing.T) {
	one := func(v float64) map[string]float64 { return map[string]float64{`{system="flagcx"}`: v} }
	check(t, map[string]numbers{
		// 4 × 250 bytes over 4 × 0.5 s: one rank's speed, half of what the engine moves.
		"speed of a rank while busy": {shards + `
			sglang:flagcx_total_xfer_time_seconds_total{engine_type="prefill",model_name="m",tp_rank="0",pp_rank="0"} 0+0.5x60
			sglang:flagcx_total_xfer_time_seconds_total{engine_type="prefill",model_name="m",tp_rank="1",pp_rank="0"} 0+0.5x60
			sglang:flagcx_total_xfer_time_seconds_total{engine_type="prefill",model_name="m",tp_rank="0",pp_rank="1"} 0+0.5x60
			sglang:flagcx_total_xfer_time_seconds_total{engine_type="prefill",model_name="m",tp_rank="1",pp_rank="1"} 0+0.5x60`,
			onFlagCX("kv_transfer_busy_throughput", sglangWith("sglang:flagcx_total_bytes_transferred_total", "sglang:flagcx_total_xfer_time_seconds_total")), one(500)},
		// Both ranks give up the same 3 requests a second; another engine gives up 1.
		"a request that two ranks give up is one": {`
			sglang:flagcx_num_kv_expired_reqs_total{instance="p0",engine_type="prefill",tp_rank="0",pp_rank="0"} 0+3x60
			sglang:flagcx_num_kv_expired_reqs_total{instance="p0",engine_type="prefill",tp_rank="1",pp_rank="0"} 0+3x60
			sglang:flagcx_num_kv_expired_reqs_total{instance="p1",engine_type="prefill",tp_rank="0",pp_rank="0"} 0+1x60`,
			onFlagCX("kv_lease_expiry_rate"), one(4)},
		// 7 transfers of 21 descriptors on two ranks.
		"mean descriptors of ranks": {`
			sglang:flagcx_num_descriptors_sum{engine_type="prefill",tp_rank="0"} 0+5x60
			sglang:flagcx_num_descriptors_sum{engine_type="prefill",tp_rank="1"} 0+16x60
			sglang:flagcx_num_descriptors_count{engine_type="prefill",tp_rank="0"} 0+5x60
			sglang:flagcx_num_descriptors_count{engine_type="prefill",tp_rank="1"} 0+2x60`,
			onFlagCX("kv_transfer_descriptors", statistic(query.StatMean)), one(3)},
	})
}
