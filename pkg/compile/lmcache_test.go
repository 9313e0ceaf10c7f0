package compile_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// The scheduler's instance looks up; workers retrieve and store, a copy each.
func TestBindingsOfLMCache(t *testing.T) {
	once := func(counter string) string {
		return `sum(avg without (pid, worker_id) (rate(lmcache:` + counter + `_total[16s])))`
	}
	each := func(counter string) string { return `sum(rate(lmcache:` + counter + `_total[16s]))` }
	p99 := func(histogram string) string {
		return `histogram_quantile(0.99, sum by (le) (rate(lmcache:` + histogram + `_bucket[16s])))`
	}
	p99Once := func(histogram string) string {
		return `histogram_quantile(0.99, sum by (le) (avg without (pid, worker_id) (rate(lmcache:` + histogram + `_bucket[16s]))))`
	}
	compilesAsWritten(t, "lmcache", []written{
		{"lmcache_lookup_rate", each("num_lookup_requests")},
		{"lmcache_retrieve_rate", once("num_retrieve_requests")},
		{"lmcache_store_rate", once("num_store_requests")},
		{"lmcache_lookup_token_rate", each("num_lookup_tokens")},
		{"lmcache_lookup_hit_token_rate", each("num_lookup_hits")},
		{"lmcache_lookup_hit_rate", `sum(rate(lmcache:num_lookup_hits_total[16s])) / (sum(rate(lmcache:num_lookup_tokens_total[16s])) > 0)`},
		{"lmcache_lookup_hit_rate_raw", `max(lmcache:lookup_hit_rate)`},
		{"lmcache_requested_token_rate", once("num_requested_tokens")},
		{"lmcache_retrieved_token_rate", once("num_hit_tokens")},
		{"lmcache_retrieve_hit_rate", `sum(avg without (pid, worker_id) (rate(lmcache:num_hit_tokens_total[16s]))) / (sum(avg without (pid, worker_id) (rate(lmcache:num_requested_tokens_total[16s]))) > 0)`},
		{"lmcache_retrieve_hit_rate_raw", `max(lmcache:retrieve_hit_rate)`},
		{"lmcache_stored_token_rate", once("num_stored_tokens")},
		{"lmcache_engine_hit_token_rate", once("num_vllm_hit_tokens")},
		{"lmcache_prompt_token_rate", once("num_prompt_tokens")},
		{"lmcache_lookup_time", p99("time_to_lookup") + ` >= 0`},
		{"lmcache_retrieve_time", p99Once("time_to_retrieve") + ` >= 0`},
		{"lmcache_store_time", p99Once("time_to_store") + ` >= 0`},
		{"lmcache_retrieve_speed", p99Once("retrieve_speed") + ` >= 0`},
		{"lmcache_store_speed", p99Once("store_speed") + ` >= 0`},
		{"lmcache_copy_to_gpu_time", p99Once("retrieve_to_gpu_time") + ` >= 0`},
		{"lmcache_copy_from_gpu_time", p99Once("store_from_gpu_time") + ` >= 0`},
		{"lmcache_store_put_time", p99Once("store_put_time") + ` >= 0`},
		{"lmcache_remote_get_time", p99("remote_time_to_get") + ` / 1000 >= 0`},
		{"lmcache_remote_put_time", p99("remote_time_to_put") + ` / 1000 >= 0`},
		{"lmcache_remote_get_sync_time", p99("remote_time_to_get_sync") + ` / 1000 >= 0`},
		{"lmcache_remote_batched_get_blocking_time", p99("remote_backend_batched_get_blocking_time") + ` >= 0`},
		{"lmcache_cpu_used_bytes", `sum(lmcache:local_cache_usage)`},
		{"lmcache_remote_used_bytes", `sum(lmcache:remote_cache_usage)`},
		{"lmcache_disk_used_bytes", `sum(lmcache:local_storage_usage)`},
		{"lmcache_cpu_eviction_rate", each("local_cpu_evict_count")},
		{"lmcache_cpu_evicted_key_rate", each("local_cpu_evict_keys_count")},
		{"lmcache_cpu_eviction_failure_rate", each("local_cpu_evict_failed_count")},
		{"lmcache_forced_unpin_rate", each("forced_unpin_count")},
		{"lmcache_p2p_request_rate", each("num_p2p_requests")},
		{"lmcache_p2p_token_rate", each("num_p2p_transferred_tokens")},
		{"lmcache_p2p_transfer_time", p99("p2p_time_to_transfer") + ` >= 0`},
		{"lmcache_p2p_transfer_speed", p99("p2p_transfer_speed") + ` >= 0`},
		{"lmcache_request_lifespan", p99("request_cache_lifespan") + ` * 60 >= 0`},
	})
}

// Every spelling that a build may have had is asked for, newest first.
func TestBindingsOfLMCacheMP(t *testing.T) {
	rated := func(names ...string) string {
		for i, name := range names {
			names[i] = `rate(lmcache_mp_` + name + `[16s])`
		}
		return strings.Join(names, " or ")
	}
	sum := func(names ...string) string { return `sum(` + rated(names...) + `)` }
	p99 := func(histogram string) string {
		return `histogram_quantile(0.99, sum by (le) (rate(lmcache_mp_` + histogram + `_bucket[16s]))) >= 0`
	}
	speed := func(histogram string) string {
		of := func(unit string) string { return `rate(lmcache_mp_` + histogram + `_` + unit + `_bucket[16s])` }
		return `histogram_quantile(0.99, sum by (le) (` + of("GB_per_second") + ` or ignoring (le) ` + of("GBs") + ` or ignoring (le) ` + of("gbs") + `)) * 1000000000 >= 0`
	}
	share := func(hit string) string {
		return sum(hit+"_tokens_total") + ` / (` + sum("lookup_requested_tokens_total") + ` > 0) or ` + sum(hit+"_total") + ` / (` + sum("lookup_requested_total") + ` > 0)`
	}
	moved := []string{"transfer_phase_bytes_total", "transfer_phase_bytes"}
	busy := []string{"transfer_phase_elapsed_seconds_total", "transfer_phase_elapsed_seconds", "transfer_phase_elapsed", "transfer_phase_busy_time_seconds_total"}
	phases := func(names []string) string {
		return `sum by (direction, phase) (` + rated(append([]string{}, names...)...) + `)`
	}
	compilesAsWritten(t, "lmcache_mp", []written{
		{"lmcache_mp_lookup_token_rate", sum("lookup_requested_tokens_total", "lookup_requested_total")},
		{"lmcache_mp_lookup_hit_token_rate", sum("lookup_hit_tokens_total", "lookup_hit_total")},
		{"lmcache_mp_l1_hit_token_rate", sum("lookup_hit_l1_tokens_total", "lookup_hit_l1_total")},
		{"lmcache_mp_l2_hit_token_rate", sum("lookup_hit_l2_tokens_total", "lookup_hit_l2_total")},
		{"lmcache_mp_l2_hit_key_rate", sum("lookup_hit_l2_keys_total")},
		{"lmcache_mp_lookup_hit_rate", share("lookup_hit")},
		{"lmcache_mp_l1_hit_rate", share("lookup_hit_l1")},
		{"lmcache_mp_l2_hit_rate", share("lookup_hit_l2")},
		{"lmcache_mp_l1_read_rate", sum("l1_read_chunks_total", "l1_read_keys_total", "l1_read_total")},
		{"lmcache_mp_l1_write_rate", sum("l1_write_chunks_total", "l1_write_keys_total")},
		{"lmcache_mp_l1_eviction_rate", sum("l1_evicted_chunks_total", "l1_evicted_keys_total")},
		{"lmcache_mp_l1_used_bytes", `sum(lmcache_mp_l1_memory_usage_bytes)`},
		{"lmcache_mp_l1_usage", `max(lmcache_mp_l1_usage_ratio)`},
		{"lmcache_mp_l1_chunk_lifetime", p99("l1_chunk_lifetime_seconds")},
		{"lmcache_mp_l1_chunk_idle_before_eviction", p99("l1_chunk_idle_before_evict_seconds")},
		{"lmcache_mp_l1_chunk_reuse_gap", p99("l1_chunk_reuse_gap_seconds")},
		{"lmcache_mp_l1_chunk_evict_reuse_gap", p99("l1_chunk_evict_reuse_gap_seconds")},
		{"lmcache_mp_l2_store_submit_rate", sum("l2_store_submitted_requests_total")},
		{"lmcache_mp_l2_store_complete_rate", sum("l2_store_completed_requests_total")},
		{"lmcache_mp_l2_store_submitted_chunk_rate", sum("l2_store_submitted_objects_chunks_total")},
		{"lmcache_mp_l2_store_completed_chunk_rate", sum("l2_store_completed_objects_chunks_total")},
		{"lmcache_mp_l2_prefetch_lookup_rate", sum("l2_prefetch_lookup_requests_total")},
		{"lmcache_mp_l2_prefetched_chunk_rate", sum("l2_prefetch_load_completed_chunks_total")},
		{"lmcache_mp_l2_load_complete_rate", sum("l2_load_completed_requests_total")},
		{"lmcache_mp_prefetch_jobs", `sum(lmcache_mp_active_prefetch_jobs)`},
		{"lmcache_mp_l2_stores_inflight", `sum(lmcache_mp_num_inflight_l2_stores)`},
		{"lmcache_mp_l2_loads_inflight", `sum(lmcache_mp_num_inflight_l2_loads)`},
		{"lmcache_mp_l0_l1_store_throughput", speed("l0_l1_store_throughput")},
		{"lmcache_mp_l0_l1_load_throughput", speed("l0_l1_load_throughput")},
		{"lmcache_mp_l2_store_throughput", speed("l2_store_throughput")},
		{"lmcache_mp_l2_load_throughput", speed("l2_load_throughput")},
		{"lmcache_mp_transfer_byte_rate", phases(moved)},
		{"lmcache_mp_transfer_busy_time_rate", phases(busy)},
		{"lmcache_mp_transfer_bandwidth", phases(moved) + ` / (` + phases(busy) + ` > 0)`},
		{"lmcache_mp_l1_allocation_failure_rate", sum("l1_allocation_failure_chunks_total")},
		{"lmcache_mp_l1_read_failure_rate", sum("l1_read_failure_chunks_total")},
		{"lmcache_mp_l2_prefetch_failure_rate", sum("l2_prefetch_failure_chunks_total")},
	})
}

func TestNumbersOfLMCache(t *testing.T) {
	const lmcache = `{system="lmcache"}`
	one := func(v float64) map[string]float64 { return map[string]float64{lmcache: v} }
	// Two tensor-parallel workers of one engine.
	workers := func(metric, value string) string {
		return `lmcache:` + metric + `{instance="decode-0:8000",worker_id="0",role="worker",model_name="/models/qwen",served_model_name="qwen"} ` + value + `
  lmcache:` + metric + `{instance="decode-0:8000",worker_id="1",role="worker",model_name="/models/qwen",served_model_name="qwen"} ` + value
	}
	scheduler := func(metric, value string) string {
		return `lmcache:` + metric + `{instance="decode-0:8000",worker_id="0",role="scheduler",model_name="/models/qwen",served_model_name="qwen"} ` + value
	}
	// Ten gets a second, all in (10 ms, 100 ms]; 55 ms each on average.
	gets := `lmcache:remote_time_to_get_bucket{le="10"} 0x60
  lmcache:remote_time_to_get_bucket{le="100"} 0+10x60
  lmcache:remote_time_to_get_bucket{le="+Inf"} 0+10x60
  lmcache:remote_time_to_get_sum 0+550x60
  lmcache:remote_time_to_get_count 0+10x60`
	tests := map[string]struct {
		lines string
		ask   compile.Request
		want  map[string]float64
	}{
		"workers repeat a retrieve":               {workers("num_retrieve_requests_total", "0+5x60"), ask("lmcache_retrieve_rate"), one(5)},
		"workers apart":                           {workers("num_retrieve_requests_total", "0+5x60"), ask("lmcache_retrieve_rate", by("worker")), map[string]float64{`{system="lmcache", worker="0"}`: 5, `{system="lmcache", worker="1"}`: 5}},
		"a scheduler's own zeros take no part":    {workers("num_stored_tokens_total", "0+256x60") + "\n  " + scheduler("num_stored_tokens_total", "0x60"), ask("lmcache_stored_token_rate"), one(256)},
		"lookups are the scheduler's":             {scheduler("num_lookup_requests_total", "0+8x60"), ask("lmcache_lookup_rate"), one(8)},
		"the model is the served name":            {workers("num_retrieve_requests_total", "0+5x60"), ask("lmcache_retrieve_rate", byModel), map[string]float64{`{model="qwen", system="lmcache"}`: 5}},
		"the lookup hit rate is one of tokens":    {scheduler("num_lookup_hits_total", "0+300x60") + "\n  " + scheduler("num_lookup_tokens_total", "0+400x60"), ask("lmcache_lookup_hit_rate"), one(0.75)},
		"an idle cache has no hit rate":           {scheduler("num_lookup_hits_total", "300x60") + "\n  " + scheduler("num_lookup_tokens_total", "400x60"), ask("lmcache_lookup_hit_rate"), map[string]float64{}},
		"the raw gauge of an idle cache is 1":     {workers("retrieve_hit_rate", "1x60"), ask("lmcache_retrieve_hit_rate_raw"), one(1)},
		"the retrieve hit rate of two workers":    {workers("num_hit_tokens_total", "0+90x60") + "\n  " + workers("num_requested_tokens_total", "0+100x60"), ask("lmcache_retrieve_hit_rate"), one(0.9)},
		"remote times are milliseconds":           {gets, ask("lmcache_remote_get_time", quantile(0.5)), one(0.055)},
		"the mean of remote times, too":           {gets, ask("lmcache_remote_get_time", statistic(query.StatMean)), one(0.055)},
		"gets per second have no unit to convert": {gets, ask("lmcache_remote_get_time", statistic(query.StatRate)), one(10)},
		"a lifespan is minutes": {"lmcache:request_cache_lifespan_sum 0+6x60\n  lmcache:request_cache_lifespan_count 0+2x60",
			ask("lmcache_request_lifespan", statistic(query.StatMean)), one(180)},
		"each worker uses its own memory": {workers("local_cache_usage", "1024x60"), ask("lmcache_cpu_used_bytes"), one(2048)},
		"roles are those of the engine's page": {workers("num_store_requests_total", "0+5x60") + "\n  " + `lmcache:num_store_requests_total{instance="prefill-0:8000",worker_id="0"} 0+7x60`,
			ask("lmcache_store_rate", perRole), map[string]float64{`{role="decode", system="lmcache"}`: 5, `{role="prefill", system="lmcache"}`: 7}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { values(t, test.lines, test.ask, time.Minute, test.want) })
	}
}

// Older versions have the path of the weights alone.
func TestModelsOfOlderLMCache(t *testing.T) {
	d := server("lmcache", deployment.RoleByNothing, "lmcache:num_retrieve_requests_total")
	d.Systems["lmcache"] = deployment.Found{RoleBy: deployment.RoleByNothing, Labels: []string{"instance", "job", "model_name", "worker_id"}}
	require.Equal(t, `sum by (model_name) (avg without (pid, worker_id) (irate(lmcache:num_retrieve_requests_total[4s])))`,
		only(t, ask("lmcache_retrieve_rate", byModel, holding(d))))
}

func TestNumbersOfLMCacheMP(t *testing.T) {
	const mp = `{system="lmcache_mp"}`
	one := func(v float64) map[string]float64 { return map[string]float64{mp: v} }
	lookups := `lmcache_mp_lookup_requested_tokens_total{model_name="m",cache_salt=""} 0+1000x60
  lmcache_mp_lookup_hit_l1_tokens_total{model_name="m",cache_salt=""} 0+400x60
  lmcache_mp_lookup_hit_l2_tokens_total{model_name="m",cache_salt=""} 0+200x60`
	old := strings.NewReplacer("_tokens_total", "_total").Replace(lookups)
	// A transfer in (1, 2] GB/s each second on one server, in (3, 4] on another that
	// spells the unit otherwise.
	speeds := `lmcache_mp_l2_load_throughput_GB_per_second_bucket{instance="a",l2_name="d",le="1"} 0x60
  lmcache_mp_l2_load_throughput_GB_per_second_bucket{instance="a",l2_name="d",le="2"} 0+1x60
  lmcache_mp_l2_load_throughput_GB_per_second_bucket{instance="a",l2_name="d",le="3"} 0+1x60
  lmcache_mp_l2_load_throughput_GB_per_second_bucket{instance="a",l2_name="d",le="+Inf"} 0+1x60
  lmcache_mp_l2_load_throughput_GBs_bucket{instance="b",l2_name="d",le="1"} 0x60
  lmcache_mp_l2_load_throughput_GBs_bucket{instance="b",l2_name="d",le="2"} 0x60
  lmcache_mp_l2_load_throughput_GBs_bucket{instance="b",l2_name="d",le="3"} 0+1x60
  lmcache_mp_l2_load_throughput_GBs_bucket{instance="b",l2_name="d",le="+Inf"} 0+1x60`
	phases := `lmcache_mp_transfer_phase_bytes_total{device_index="0",direction="d2h",phase="kernel"} 0+1000x60
  lmcache_mp_transfer_phase_bytes_total{device_index="1",direction="d2h",phase="kernel"} 0+1000x60
  lmcache_mp_transfer_phase_bytes_total{device_index="0",direction="d2h",phase="staging"} 0+2000x60
  lmcache_mp_transfer_phase_elapsed_seconds_total{device_index="0",direction="d2h",phase="kernel"} 0+0.1x60
  lmcache_mp_transfer_phase_elapsed_seconds_total{device_index="1",direction="d2h",phase="kernel"} 0+0.3x60
  lmcache_mp_transfer_phase_elapsed_seconds_total{device_index="0",direction="d2h",phase="staging"} 0+0.5x60`
	byPhase := func(kernel, staging float64) map[string]float64 {
		return map[string]float64{`{direction="d2h", phase="kernel", system="lmcache_mp"}`: kernel, `{direction="d2h", phase="staging", system="lmcache_mp"}`: staging}
	}
	tests := map[string]struct {
		lines string
		ask   compile.Request
		want  map[string]float64
	}{
		"L1's share of all lookups":            {lookups, ask("lmcache_mp_l1_hit_rate"), one(0.4)},
		"L2's share of all lookups":            {lookups, ask("lmcache_mp_l2_hit_rate", byModel), map[string]float64{`{model="m", system="lmcache_mp"}`: 0.2}},
		"L1's share by the older names":        {old, ask("lmcache_mp_l1_hit_rate"), one(0.4)},
		"tokens found in L2":                   {lookups, ask("lmcache_mp_l2_hit_token_rate"), one(200)},
		"keys are not divided by tokens":       {`lmcache_mp_lookup_requested_tokens_total 0+1000x60` + "\n  " + `lmcache_mp_lookup_hit_l2_keys_total 0+4x60`, ask("lmcache_mp_l2_hit_rate"), map[string]float64{}},
		"keys are shown as keys":               {`lmcache_mp_lookup_hit_l2_keys_total 0+4x60`, ask("lmcache_mp_l2_hit_key_rate"), one(4)},
		"hits of tokens over requests of keys": {`lmcache_mp_lookup_requested_total 0+10x60` + "\n  " + `lmcache_mp_lookup_hit_tokens_total 0+300x60`, ask("lmcache_mp_lookup_hit_rate"), map[string]float64{}},
		// Two transfers a second: one in (1, 2], one in (2, 3].
		"both spellings of GB/s are one distribution":    {speeds, ask("lmcache_mp_l2_load_throughput", quantile(0.5)), one(2e9)},
		"several back ends complete more than submitted": {`lmcache_mp_l2_store_completed_requests_total{l2_name="a"} 0+5x60` + "\n  " + `lmcache_mp_l2_store_completed_requests_total{l2_name="b"} 0+5x60`, ask("lmcache_mp_l2_store_complete_rate"), one(10)},
		"back ends apart": {`lmcache_mp_l2_store_completed_requests_total{l2_name="a"} 0+5x60` + "\n  " + `lmcache_mp_l2_store_completed_requests_total{l2_name="b"} 0+5x60`, ask("lmcache_mp_l2_store_complete_rate", by("l2_name")),
			map[string]float64{`{l2_name="a", system="lmcache_mp"}`: 5, `{l2_name="b", system="lmcache_mp"}`: 5}},
		"phases are never added":      {phases, ask("lmcache_mp_transfer_byte_rate"), byPhase(2000, 2000)},
		"busy time of two devices":    {phases, ask("lmcache_mp_transfer_busy_time_rate"), byPhase(0.4, 0.5)},
		"bandwidth weighted by bytes": {phases, ask("lmcache_mp_transfer_bandwidth"), byPhase(5000, 4000)},
		"one phase by a filter": {phases, ask("lmcache_mp_transfer_byte_rate", where("phase", query.OpEqual, "staging"), where("direction", query.OpEqual, "d2h")),
			map[string]float64{`{system="lmcache_mp"}`: 2000}},
		"failures by reason": {`lmcache_mp_l2_prefetch_failure_chunks_total{reason="l1_oom",model_name="m"} 0+2x60` + "\n  " + `lmcache_mp_l2_prefetch_failure_chunks_total{reason="not_found",model_name="m"} 0+1x60`,
			ask("lmcache_mp_l2_prefetch_failure_rate", by("reason")), map[string]float64{`{reason="l1_oom", system="lmcache_mp"}`: 2, `{reason="not_found", system="lmcache_mp"}`: 1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { values(t, test.lines, test.ask, time.Minute, test.want) })
	}
}

// A build that counts L2 hits in keys is told apart from one that has no L2.
func TestAnL2HitRateOfKeysIsRefused(t *testing.T) {
	p := planned(t, ask("lmcache_mp_l2_hit_rate", holding(server("lmcache_mp", deployment.RoleByNothing,
		"lmcache_mp_lookup_requested_tokens_total", "lmcache_mp_lookup_hit_l2_keys_total"))))
	require.Empty(t, p.Expressions)
	require.Contains(t, texts(p), "error:")
}

// The page of the project's own test: submitted equals completed in chunks.
func TestThePageOfLMCacheMP(t *testing.T) {
	const name = "lmcache-mp-upstream-verify-fixture.prom"
	tests := map[string]struct {
		ask  compile.Request
		want float64
	}{
		"600 000 tokens looked up": {ask("lmcache_mp_lookup_token_rate"), 600000},
		"half of them found":       {ask("lmcache_mp_lookup_hit_rate"), 0.5},
		"2340 keys found in L2":    {ask("lmcache_mp_l2_hit_key_rate"), 2340},
		"1190 chunks written":      {ask("lmcache_mp_l1_write_rate"), 1190},
		"1190 chunks submitted":    {ask("lmcache_mp_l2_store_submitted_chunk_rate"), 1190},
		"1190 chunks stored":       {ask("lmcache_mp_l2_store_completed_chunk_rate"), 1190},
		"95 requests stored":       {ask("lmcache_mp_l2_store_complete_rate"), 95},
		"95 requests searched":     {ask("lmcache_mp_l2_prefetch_lookup_rate"), 95},
		"95 requests loaded":       {ask("lmcache_mp_l2_load_complete_rate"), 95},
		"2340 chunks prefetched":   {ask("lmcache_mp_l2_prefetched_chunk_rate"), 2340},
		"60 stores to L1":          {ask("lmcache_mp_l0_l1_store_throughput", statistic(query.StatRate)), 60},
		"60 loads from L1":         {ask("lmcache_mp_l0_l1_load_throughput", statistic(query.StatRate)), 60},
		"60 stores to L2":          {ask("lmcache_mp_l2_store_throughput", statistic(query.StatRate)), 60},
		"60 loads from L2":         {ask("lmcache_mp_l2_load_throughput", statistic(query.StatRate)), 60},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := answers(t, page(t, name), planned(t, test.ask), minute)
			require.Len(t, got, 1)
			require.InDelta(t, test.want, got[`{system="lmcache_mp"}`], 1e-9*max(1, test.want))
		})
	}
}
