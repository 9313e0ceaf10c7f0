package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func TestPromQLOfOffload(t *testing.T) {
	newer, older := vllmWith("vllm:kv_offload_load_bytes_total", "vllm:kv_offload_store_bytes_total"), vllmWith("vllm:kv_offload_total_bytes_total")
	sayExactly(t, map[string]wording{
		"blocks whose load completed": {ask("offload_load_block_rate", byModel),
			`sum by (model_name) (irate(vllm:simple_kv_offload_load_blocks_total{phase="completed"}[4s]))`},
		"blocks whose load was issued": {ask("offload_load_issued_block_rate"),
			`sum(irate(vllm:simple_kv_offload_load_blocks_total{phase="issued"}[4s]))`},
		"saves are always split by outcome": {ask("offload_save_block_rate"),
			`sum by (outcome) (irate(vllm:simple_kv_offload_save_outcomes_total[4s]))`},
		"saves of one outcome": {ask("offload_save_block_rate", where("outcome", query.OpEqual, "stored")),
			`sum(irate(vllm:simple_kv_offload_save_outcomes_total{outcome="stored"}[4s]))`},
		"dropped saves": {ask("offload_save_drop_ratio"),
			`sum(rate(vllm:simple_kv_offload_save_outcomes_total{outcome=~"dropped_.*"}[4s])) / (sum(rate(vllm:simple_kv_offload_save_outcomes_total[4s])) > 0)`},
		"dropped saves by outcome share all saves": {ask("offload_save_drop_ratio", by("outcome")),
			`sum by (outcome) (rate(vllm:simple_kv_offload_save_outcomes_total{outcome=~"dropped_.*"}[4s])) / ignoring (outcome) group_left () (sum(rate(vllm:simple_kv_offload_save_outcomes_total[4s])) > 0)`},
		"pending blocks": {ask("offload_pending_store_blocks"), `sum(vllm:simple_kv_offload_pending_store_blocks)`},
		"used blocks":    {ask("offload_used_blocks"), `sum(vllm:simple_kv_offload_used_blocks)`},
		"bytes loaded": {ask("offload_load_byte_rate", of("offloading"), newer, on(query.RolePrefill)),
			`sum(irate(vllm:kv_offload_load_bytes_total{instance=~"prefill.*"}[4s]))`},
		"bytes loaded, older": {ask("offload_load_byte_rate", of("offloading"), older, on(query.RolePrefill)),
			`sum(irate(vllm:kv_offload_total_bytes_total{instance=~"prefill.*",transfer_type="CPU_to_GPU"}[4s]))`},
		"bytes stored, older": {ask("offload_store_byte_rate", of("offloading"), older, on(query.RolePrefill)),
			`sum(irate(vllm:kv_offload_total_bytes_total{instance=~"prefill.*",transfer_type="GPU_to_CPU"}[4s]))`},
		"load speed": {ask("offload_load_busy_throughput"),
			`sum(rate(vllm:kv_offload_load_bytes_total[4s])) / (sum(rate(vllm:kv_offload_load_time_total[4s])) > 0)`},
		"store speed": {ask("offload_store_busy_throughput"),
			`sum(rate(vllm:kv_offload_store_bytes_total[4s])) / (sum(rate(vllm:kv_offload_store_time_total[4s])) > 0)`},
	})
}

func TestPromQLOfHiSparse(t *testing.T) {
	sayExactly(t, map[string]wording{
		"hits of hits and misses": {ask("hisparse_hit_rate", byModel),
			`sum by (model_name) (rate(vllm:hisparse_cache_hits_total[4s])) / (sum by (model_name) (rate(vllm:hisparse_cache_hits_total[4s])) + sum by (model_name) (rate(vllm:hisparse_cache_misses_total[4s])) > 0)`},
		"bytes loaded":      {ask("hisparse_load_byte_rate"), `sum(irate(vllm:hisparse_host_to_device_bytes_total[4s]))`},
		"host cache usage":  {ask("hisparse_host_cache_usage"), `max(vllm:hisparse_host_cache_usage_perc)`},
		"pending transfers": {ask("hisparse_pending_transfers"), `sum(vllm:hisparse_pending_page_transfers)`},
		"block lifetime": {ask("hisparse_block_lifetime"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:hisparse_host_block_lifetime_seconds_bucket[4s]))) >= 0`},
		"block idle time": {ask("hisparse_block_idle_before_eviction"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:hisparse_host_block_idle_before_evict_seconds_bucket[4s]))) >= 0`},
		"block reuse gap": {ask("hisparse_block_reuse_gap"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:hisparse_host_block_reuse_gap_seconds_bucket[4s]))) >= 0`},
	})
}

func TestNumbersOfOffload(t *testing.T) {
	const saves = `
		vllm:simple_kv_offload_save_outcomes_total{outcome="stored"} 0+12x60
		vllm:simple_kv_offload_save_outcomes_total{outcome="dropped_cpu_full"} 0+3x60
		vllm:simple_kv_offload_save_outcomes_total{outcome="dropped_request_gone"} 0+1x60
		vllm:simple_kv_offload_save_outcomes_total{outcome="skipped_in_flight"} 0+4x60`
	check(t, map[string]numbers{
		// Issued and completed count the same blocks: 8, not 16.
		"one phase": {`
			vllm:simple_kv_offload_load_blocks_total{phase="issued"} 0+8x60
			vllm:simple_kv_offload_load_blocks_total{phase="completed"} 0+8x60`,
			ask("offload_load_block_rate"), map[string]float64{`{system="simple_offload"}`: 8}},
		"4 of 20 saves dropped": {saves, ask("offload_save_drop_ratio"), map[string]float64{`{system="simple_offload"}`: 0.2}},
		"3 of 20 for want of room": {saves, ask("offload_save_drop_ratio", by("outcome")), map[string]float64{
			`{outcome="dropped_cpu_full", system="simple_offload"}`: 0.15, `{outcome="dropped_request_gone", system="simple_offload"}`: 0.05}},
		// The new counter is read once where an engine has both, the old one where it has that alone.
		"two versions of the offloading connector": {`
			vllm:kv_offload_load_bytes_total{instance="a"} 0+100x60
			vllm:kv_offload_total_bytes_total{instance="a",transfer_type="CPU_to_GPU"} 0+100x60
			vllm:kv_offload_total_bytes_total{instance="a",transfer_type="GPU_to_CPU"} 0+900x60
			vllm:kv_offload_total_bytes_total{instance="b",transfer_type="CPU_to_GPU"} 0+50x60`,
			ask("offload_load_byte_rate"), map[string]float64{`{system="offloading"}`: 150}},
		// 300 hits of 400 over two engines; the mean of their rates would be 0.7.
		"HiSparse hits": {`
			vllm:hisparse_cache_hits_total{instance="a"} 0+270x60
			vllm:hisparse_cache_misses_total{instance="a"} 0+30x60
			vllm:hisparse_cache_hits_total{instance="b"} 0+30x60
			vllm:hisparse_cache_misses_total{instance="b"} 0+70x60`,
			ask("hisparse_hit_rate"), map[string]float64{`{system="hisparse"}`: 0.75}},
		"HiSparse idle": {`
			vllm:hisparse_cache_hits_total 270x60
			vllm:hisparse_cache_misses_total 30x60`,
			ask("hisparse_hit_rate"), map[string]float64{}},
		"the fullest host cache": {`
			vllm:hisparse_host_cache_usage_perc{instance="a"} 0.25x60
			vllm:hisparse_host_cache_usage_perc{instance="b"} 0.875x60`,
			ask("hisparse_host_cache_usage"), map[string]float64{`{system="hisparse"}`: 0.875}},
	})
}
