package compile_test

import (
	"testing"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const fourCopies = `
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="0",pp_rank="0"} 40x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="1",pp_rank="0"} 40x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="2",pp_rank="0"} 40x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="3",pp_rank="0"} 40x60
	sglang:num_running_reqs{instance="d1",engine_type="decode",tp_rank="0",pp_rank="0"} 25x60`

const dpAttention = `
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="0",dp_rank="0"} 10x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="1",dp_rank="1"} 12x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="2",dp_rank="2"} 8x60
	sglang:num_running_reqs{instance="d0",engine_type="decode",tp_rank="3",dp_rank="3"} 10x60`

// One engine of tp=4 dp=2 that exports from every scheduler: queued 3 on group 0,
// 1 on group 1, each on two ranks.
const allSchedulers = `
	sglang:num_queue_reqs{instance="d0",engine_type="unified",tp_rank="0",dp_rank="0"} 3x60
	sglang:num_queue_reqs{instance="d0",engine_type="unified",tp_rank="1",dp_rank="0"} 3x60
	sglang:num_queue_reqs{instance="d0",engine_type="unified",tp_rank="2",dp_rank="1"} 1x60
	sglang:num_queue_reqs{instance="d0",engine_type="unified",tp_rank="3",dp_rank="1"} 1x60
	sglang:num_running_reqs{instance="d0",engine_type="unified",tp_rank="0",dp_rank="0"} 1x60
	sglang:num_running_reqs{instance="d0",engine_type="unified",tp_rank="1",dp_rank="0"} 1x60
	sglang:num_running_reqs{instance="d0",engine_type="unified",tp_rank="2",dp_rank="1"} 1x60
	sglang:num_running_reqs{instance="d0",engine_type="unified",tp_rank="3",dp_rank="1"} 1x60`

var unified = holding(server("sglang", deployment.RoleByNothing, "sglang:num_running_reqs", "sglang:num_queue_reqs", "sglang:num_retracted_reqs"))

// twoNodes is an engine whose tensor-parallel group spans two scraped nodes.
func twoNodes(r *compile.Request) {
	r.Options.Labels = map[string][]string{"engineGroup": {"engine_group"}}
}

func TestRanksOfGauges(t *testing.T) {
	check(t, map[string]numbers{
		// 40 + 25: four ranks of d0 repeat one value.
		"tensor-parallel copies count once, instances add up": {fourCopies,
			ask("requests_running", of("sglang"), on(query.RoleDecode)),
			map[string]float64{`{role="decode", system="sglang"}`: 65}},
		// 10 + 12 + 8 + 10.
		"data-parallel ranks add up": {dpAttention,
			ask("requests_running", of("sglang"), on(query.RoleDecode)),
			map[string]float64{`{role="decode", system="sglang"}`: 40}},
		"data-parallel ranks apart": {dpAttention,
			ask("requests_running", of("sglang"), on(query.RoleDecode), by("dp_rank"), where("dp_rank", query.OpEqual, "1", "2")),
			map[string]float64{`{dp_rank="1", role="decode", system="sglang"}`: 12, `{dp_rank="2", role="decode", system="sglang"}`: 8}},
		// 3 + 1: the filter tp_rank="0" would give 3, a plain sum 8.
		"queued over all schedulers":  {allSchedulers, ask("requests_waiting", of("sglang"), unified), map[string]float64{`{system="sglang"}`: 4}},
		"running over all schedulers": {allSchedulers, ask("requests_running", of("sglang"), unified), map[string]float64{`{system="sglang"}`: 2}},
		// priority="" holds the total, 5 + 2; the priorities repeat it.
		"priorities repeat the total": {`
			sglang:num_queue_reqs{instance="d0",engine_type="decode",tp_rank="0",priority=""} 5x60
			sglang:num_queue_reqs{instance="d0",engine_type="decode",tp_rank="0",priority="1"} 4x60
			sglang:num_queue_reqs{instance="d0",engine_type="decode",tp_rank="0",priority="2"} 1x60
			sglang:num_queue_reqs{instance="d1",engine_type="decode",tp_rank="0"} 2x60`,
			ask("requests_waiting", of("sglang"), on(query.RoleDecode)),
			map[string]float64{`{role="decode", system="sglang"}`: 7}},
		// p0 has the new name, p1 the old one, p2 both: 5 + 3 + 2.
		"a renamed gauge counts once for each engine": {`
			sglang:num_prefill_bootstrap_queue_reqs{instance="p0",engine_type="prefill",tp_rank="0"} 5x60
			sglang:num_prefill_prealloc_queue_reqs{instance="p1",engine_type="prefill",tp_rank="0"} 3x60
			sglang:num_prefill_bootstrap_queue_reqs{instance="p2",engine_type="prefill",tp_rank="0"} 2x60
			sglang:num_prefill_prealloc_queue_reqs{instance="p2",engine_type="prefill",tp_rank="0"} 2x60`,
			ask("prefill_bootstrap_queue"),
			map[string]float64{`{system="sglang"}`: 10}},
		"a gauge of several processes is the largest": {`
			sglang:num_retracted_reqs{instance="d0",engine_type="unified",tp_rank="0",pid="7"} 0x60
			sglang:num_retracted_reqs{instance="d0",engine_type="unified",tp_rank="1",pid="8"} 3x60`,
			ask("retracted_requests", unified),
			map[string]float64{`{system="sglang"}`: 3}},
		"each queue of prefill and decode": {`
			sglang:num_prefill_inflight_queue_reqs{instance="p",engine_type="prefill",tp_rank="0"} 4x60
			sglang:num_prefill_inflight_queue_reqs{instance="p",engine_type="prefill",tp_rank="1"} 4x60
			sglang:num_decode_transfer_queue_reqs{instance="d",engine_type="decode",tp_rank="0"} 6x60`,
			ask("prefill_inflight_queue"),
			map[string]float64{`{system="sglang"}`: 4}},
		"vLLM engines add up, roles apart": {`
			vllm:num_requests_running{instance="prefill-0",engine="0"} 1x60
			vllm:num_requests_running{instance="decode-0",engine="0"} 3x60
			vllm:num_requests_running{instance="decode-0",engine="1"} 5x60`,
			ask("requests_running", of("vllm"), perRole),
			map[string]float64{`{role="prefill", system="vllm"}`: 1, `{role="decode", system="vllm"}`: 8}},
		// Each node repeats the same 100 running requests.
		"an engine over two nodes counts once when its label is set": {`
			sglang:num_running_reqs{instance="n0",pod="n0",engine_group="e",engine_type="decode",tp_rank="0"} 100x60
			sglang:num_running_reqs{instance="n1",pod="n1",engine_group="e",engine_type="decode",tp_rank="8"} 100x60
			sglang:num_running_reqs{instance="n2",pod="n2",engine_group="f",engine_type="decode",tp_rank="0"} 7x60`,
			ask("requests_running", of("sglang"), on(query.RoleDecode), twoNodes),
			map[string]float64{`{role="decode", system="sglang"}`: 107}},
		"an engine over two nodes counts once whatever tells the nodes apart": {`
			sglang:num_running_reqs{instance="n0",pod="n0",node="a",engine_group="e",engine_type="decode",tp_rank="0"} 100x60
			sglang:num_running_reqs{instance="n1",pod="n1",node="b",engine_group="e",engine_type="decode",tp_rank="8"} 100x60`,
			ask("requests_running", of("sglang"), on(query.RoleDecode), twoNodes),
			map[string]float64{`{role="decode", system="sglang"}`: 100}},
		"tokens of an engine over two nodes count once": {`
			sglang:realtime_tokens_total{instance="n0",engine_group="e",engine_type="decode",mode="decode",tp_rank="0"} 0+100x60
			sglang:realtime_tokens_total{instance="n1",engine_group="e",engine_type="decode",mode="decode",tp_rank="8"} 0+100x60
			sglang:generation_tokens_total{instance="n0",engine_group="e",engine_type="decode"} 0+100x60`,
			ask("decode_token_rate", of("sglang"), twoNodes),
			map[string]float64{`{system="sglang"}`: 100}},
		// Data-parallel groups of the other node are seen there alone: 10 + 20.
		"data-parallel groups on different nodes add up": {`
			sglang:num_running_reqs{instance="n0",engine_group="e",engine_type="decode",tp_rank="0",dp_rank="0"} 10x60
			sglang:num_running_reqs{instance="n1",engine_group="e",engine_type="decode",tp_rank="1",dp_rank="1"} 20x60`,
			ask("requests_running", of("sglang"), on(query.RoleDecode), twoNodes),
			map[string]float64{`{role="decode", system="sglang"}`: 30}},
		"by engine means the label that identifies one": {`
			sglang:num_running_reqs{instance="n0",engine_group="e",engine_type="decode",tp_rank="0"} 100x60
			sglang:num_running_reqs{instance="n1",engine_group="e",engine_type="decode",tp_rank="8"} 100x60`,
			ask("requests_running", of("sglang"), on(query.RoleDecode), twoNodes, by("engine")),
			map[string]float64{`{engine="e", role="decode", system="sglang"}`: 100}},
	})
}

func TestRankStrategies(t *testing.T) {
	gauge := func(s compile.RankStrategy) compile.Request {
		return ask("requests_running", of("sglang"), on(query.RoleDecode), ranked(s))
	}
	one := func(v float64) map[string]float64 { return map[string]float64{`{role="decode", system="sglang"}`: v} }
	check(t, map[string]numbers{
		"auto collapses copies":                          {fourCopies, gauge(compile.RanksAuto), one(65)},
		"collapse does so too":                           {fourCopies, gauge(compile.RanksCollapse), one(65)},
		"rank0 is right for plain tensor parallelism":    {fourCopies, gauge(compile.RanksRank0), one(65)},
		"sum adds every copy, 4 × 40 + 25":               {fourCopies, gauge(compile.RanksSum), one(185)},
		"rank0 keeps one data-parallel rank":             {dpAttention, gauge(compile.RanksRank0), one(10)},
		"collapse keeps all data-parallel ranks":         {dpAttention, gauge(compile.RanksCollapse), one(40)},
		"rank0 reads series without rank labels as well": {`sglang:num_running_reqs{engine_type="decode"} 9x60`, gauge(compile.RanksRank0), one(9)},
		// Bytes are sharded: no strategy but a filter of the user's may drop a rank. 2 × 500.
		"collapse does not touch sharded bytes": {`
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="0"} 0+500x60
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="1"} 0+500x60`,
			ask("kv_transfer_byte_rate", ranked(compile.RanksCollapse)), map[string]float64{`{system="flagcx"}`: 1000}},
		"rank0 does not touch sharded bytes": {`
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="0"} 0+500x60
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="1"} 0+500x60`,
			ask("kv_transfer_byte_rate", ranked(compile.RanksRank0)), map[string]float64{`{system="flagcx"}`: 1000}},
		// 2 ranks × 500 B/s over 10 req/s.
		"collapse does not touch the sharded bytes of a ratio": {`
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="0"} 0+500x60
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="1"} 0+500x60
			sglang:num_requests_total{engine_type="prefill"} 0+10x60`,
			ask("kv_bytes_per_request_measured", ranked(compile.RanksCollapse), holding(server("sglang", deployment.RoleByLabel,
				"sglang:flagcx_total_bytes_transferred_total", "sglang:num_requests_total"))),
			map[string]float64{`{system="flagcx"}`: 100}},
	})
}

func TestSharesOfTheCache(t *testing.T) {
	// Group 0 is on two ranks. Used 300 + 100, evictable 200 + 400, capacity 1000 + 1000.
	const pools = `
		sglang:kv_used_tokens{engine_type="decode",dp_rank="0",tp_rank="0"} 300x60
		sglang:kv_used_tokens{engine_type="decode",dp_rank="0",tp_rank="1"} 300x60
		sglang:kv_used_tokens{engine_type="decode",dp_rank="1",tp_rank="2"} 100x60
		sglang:kv_evictable_tokens{engine_type="decode",dp_rank="0",tp_rank="0"} 200x60
		sglang:kv_evictable_tokens{engine_type="decode",dp_rank="0",tp_rank="1"} 200x60
		sglang:kv_evictable_tokens{engine_type="decode",dp_rank="1",tp_rank="2"} 400x60
		sglang:max_total_num_tokens{engine_type="decode",dp_rank="0",tp_rank="0"} 1000x60
		sglang:max_total_num_tokens{engine_type="decode",dp_rank="0",tp_rank="1"} 1000x60
		sglang:max_total_num_tokens{engine_type="decode",dp_rank="1",tp_rank="2"} 1000x60`
	decode := func(v float64) map[string]float64 { return map[string]float64{`{role="decode", system="sglang"}`: v} }
	check(t, map[string]numbers{
		"occupied counts evictable tokens, 1000 ÷ 2000": {pools, ask("kv_cache_occupied", on(query.RoleDecode)), decode(0.5)},
		"active does not, 400 ÷ 2000":                   {pools, ask("kv_cache_active", on(query.RoleDecode)), decode(0.2)},
		"used tokens":                                   {pools, ask("kv_cache_used_tokens", on(query.RoleDecode)), decode(400)},
		"evictable tokens":                              {pools, ask("kv_cache_evictable_tokens", on(query.RoleDecode)), decode(600)},
		"capacity":                                      {pools, ask("kv_cache_capacity_tokens", on(query.RoleDecode)), decode(2000)},
		// The old engine shows no evictable tokens: the share is the new one's,
		// (400 + 600) ÷ 2000, and not a mixture.
		"an engine that lacks one of the metrics is left out of both halves": {`
			sglang:kv_used_tokens{instance="new",engine_type="decode"} 400x60
			sglang:kv_evictable_tokens{instance="new",engine_type="decode"} 600x60
			sglang:max_total_num_tokens{instance="new",engine_type="decode"} 2000x60
			sglang:kv_used_tokens{instance="old",engine_type="decode"} 1800x60
			sglang:max_total_num_tokens{instance="old",engine_type="decode"} 2000x60`,
			ask("kv_cache_occupied", on(query.RoleDecode)), decode(0.5)},
		"the older name of used tokens": {`
			sglang:num_used_tokens{engine_type="decode",tp_rank="0"} 250x60
			sglang:max_total_num_tokens{engine_type="decode",tp_rank="0"} 1000x60`,
			ask("kv_cache_active", on(query.RoleDecode)), decode(0.25)},
		// The mean, 0.51, hides the engine that is full.
		"vLLM's usage is the fullest engine's": {`
			vllm:kv_cache_usage_perc{instance="decode-0",engine="0"} 0.05x60
			vllm:kv_cache_usage_perc{instance="decode-0",engine="1"} 0.97x60`,
			ask("kv_cache_usage", of("vllm"), on(query.RoleDecode), perRole), map[string]float64{`{role="decode", system="vllm"}`: 0.97}},
		"idle front ends that report 0 do not lower the usage": {`
			vllm:kv_cache_usage_perc{instance="decode-0",engine="0",pid="11"} 0x60
			vllm:kv_cache_usage_perc{instance="decode-0",engine="0",pid="12"} 0.653x60`,
			ask("kv_cache_usage", of("vllm"), on(query.RoleDecode), perRole), map[string]float64{`{role="decode", system="vllm"}`: 0.653}},
		"the older name of vLLM's usage": {`
			vllm:gpu_cache_usage_perc{instance="decode-0"} 0.4x60
			vllm:kv_cache_usage_perc{instance="decode-1"} 0.3x60`,
			ask("kv_cache_usage", of("vllm"), on(query.RoleDecode), perRole), map[string]float64{`{role="decode", system="vllm"}`: 0.4}},
		"SGLang's usage": {`
			sglang:token_usage{engine_type="decode",dp_rank="0",tp_rank="0"} 0.2x60
			sglang:token_usage{engine_type="decode",dp_rank="1",tp_rank="1"} 0.6x60`,
			ask("kv_cache_usage", of("sglang"), on(query.RoleDecode)), decode(0.6)},
		"an engine that has no pool yet has no share": {`
			sglang:kv_used_tokens{engine_type="decode",tp_rank="0"} 0x60
			sglang:max_total_num_tokens{engine_type="decode",tp_rank="0"} 0x60`,
			ask("kv_cache_active", on(query.RoleDecode)), map[string]float64{}},
	})
}

func TestHitRates(t *testing.T) {
	check(t, map[string]numbers{
		// 90 of 100 on one engine, 0 of 900 on the other: 90 ÷ 1000, not the mean 0.45.
		"sums are divided, ratios are not averaged": {`
			vllm:prefix_cache_hits_total{instance="prefill-0"} 0+90x60
			vllm:prefix_cache_queries_total{instance="prefill-0"} 0+100x60
			vllm:prefix_cache_hits_total{instance="prefill-1"} 0+0x60
			vllm:prefix_cache_queries_total{instance="prefill-1"} 0+900x60
			vllm:prefix_cache_hits_total{instance="decode-0"} 0+999x60
			vllm:prefix_cache_queries_total{instance="decode-0"} 0+999x60`,
			ask("prefix_cache_hit_rate", of("vllm"), perRole), map[string]float64{`{system="vllm"}`: 0.09}},
		"idle has no hit rate": {`
			vllm:prefix_cache_hits_total{instance="prefill-0"} 500x60
			vllm:prefix_cache_queries_total{instance="prefill-0"} 1000x60`,
			ask("prefix_cache_hit_rate", of("vllm"), perRole), map[string]float64{}},
		// All ranks repeat 80 + 5 hits and 15 computed: 85 ÷ 100.
		"SGLang's effective tokens": {`
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="device_hit",tp_rank="0"} 0+80x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="device_hit",tp_rank="1"} 0+80x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="host_hit",tp_rank="0"} 0+5x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="host_hit",tp_rank="1"} 0+5x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="storage_hit",tp_rank="0"} 0x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="input",tp_rank="0"} 0+15x60
			sglang:prefill_effective_tokens_total{engine_type="prefill",mode="input",tp_rank="1"} 0+15x60
			sglang:cached_tokens_total{engine_type="prefill",cache_source="device"} 0+1x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`,
			ask("prefix_cache_hit_rate", of("sglang")), map[string]float64{`{system="sglang"}`: 0.85}},
		"SGLang's cached over prompt tokens, the total not added to its parts": {`
			sglang:cached_tokens_total{engine_type="prefill",cache_source="device"} 0+30x60
			sglang:cached_tokens_total{engine_type="prefill",cache_source="host"} 0+10x60
			sglang:cached_tokens_total{engine_type="prefill",cache_source="total"} 0+40x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`,
			ask("prefix_cache_hit_rate", of("sglang")), map[string]float64{`{system="sglang"}`: 0.4}},
		"SGLang's cached tokens without a source": {`
			sglang:cached_tokens_total{engine_type="prefill"} 0+25x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`,
			ask("prefix_cache_hit_rate", of("sglang")), map[string]float64{`{system="sglang"}`: 0.25}},
		// engines.md 2.2: "total" is what a build falls back to that knows no sources.
		"SGLang's cached tokens where only the total is told": {`
			sglang:cached_tokens_total{engine_type="prefill",cache_source="total"} 0+25x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`,
			ask("prefix_cache_hit_rate", of("sglang")), map[string]float64{`{system="sglang"}`: 0.25}},
		// A source without dp_rank has nothing to say about ranks: two series, not three.
		"hit rates by data-parallel rank": {`
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache",dp_rank="0",tp_rank="0"} 0+20x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_compute",dp_rank="0",tp_rank="0"} 0+80x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache",dp_rank="1",tp_rank="1"} 0+60x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_compute",dp_rank="1",tp_rank="1"} 0+40x60
			sglang:cached_tokens_total{engine_type="prefill",cache_source="device"} 0+80x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+200x60`,
			ask("prefix_cache_hit_rate", of("sglang"), by("dp_rank")),
			map[string]float64{`{dp_rank="0", system="sglang"}`: 0.2, `{dp_rank="1", system="sglang"}`: 0.6}},
		"an idle data-parallel rank is not answered with the whole server's rate": {`
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache",dp_rank="0",tp_rank="0"} 0+20x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_compute",dp_rank="0",tp_rank="0"} 0+80x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache",dp_rank="1",tp_rank="1"} 9x60
			sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_compute",dp_rank="1",tp_rank="1"} 9x60
			sglang:cached_tokens_total{engine_type="prefill",cache_source="device"} 0+20x60
			sglang:prompt_tokens_total{engine_type="prefill"} 0+100x60`,
			ask("prefix_cache_hit_rate", of("sglang"), where("dp_rank", query.OpEqual, "1")), map[string]float64{}},
		"the raw gauge of the last batch": {`
			sglang:cache_hit_rate{engine_type="prefill",tp_rank="0"} 0.76x60
			sglang:cache_hit_rate{engine_type="decode",tp_rank="0"} 0x60`,
			ask("prefix_cache_hit_rate_last_batch"), map[string]float64{`{system="sglang"}`: 0.76}},
	})
}
