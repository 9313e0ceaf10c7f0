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

// noRanks is what a collapse of rank copies drops; dp_rank is never among them.
const noRanks = "without (attn_cp_rank, moe_ep_rank, pid, pp_rank, tp_rank)"

type stageRow struct {
	name string
	// metric as it is talked of, without the suffix of a histogram part.
	metric string
	ask    compile.Request
	want   string
}

// What prefill, decode and the transfer between them are watched by, by model,
// scraped and drawn every second: every sample is shown, so counters use
// neighbouring samples.
// Nothing is known of the server, so every name of a metric is allowed for.
var prefillRowsVLLM = []stageRow{
	{"prefill running", "vllm:num_requests_running", ask("requests_running", of("vllm"), on(query.RolePrefill), perRole, byModel),
		`sum by (model_name) (vllm:num_requests_running{instance=~"prefill.*"})`},
	{"prefill waiting", "vllm:num_requests_waiting", ask("requests_waiting", of("vllm"), on(query.RolePrefill), perRole, byModel),
		`sum by (model_name) (vllm:num_requests_waiting{instance=~"prefill.*"})`},
	{"prefill tok/s computed locally, else all prompt tokens", "vllm:prompt_tokens_total", ask("prefill_token_rate", of("vllm"), perRole, byModel),
		`sum by (model_name) (irate(vllm:prompt_tokens_by_source_total{instance=~"prefill.*",source="local_compute"}[4s]) or on (cluster, engine, instance, job, model_name, namespace, node, pod) irate(vllm:prompt_tokens_total{instance=~"prefill.*"}[4s]))`},
	{"prefill req/s without aborts and errors", "vllm:request_success_total", ask("prefill_request_rate", of("vllm"), perRole, byModel),
		`sum by (model_name) (irate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"prefill.*"}[4s]))`},
	{"prefill req/s at 15 s over the window of step + scrape", "vllm:request_success_total", ask("prefill_request_rate", of("vllm"), perRole, byModel, zoomed),
		`sum by (model_name) (rate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"prefill.*"}[16s]))`},
	{"prefill KV usage is the fullest engine's", "vllm:kv_cache_usage_perc", ask("kv_cache_usage", of("vllm"), on(query.RolePrefill), perRole, byModel),
		`max by (model_name) (vllm:kv_cache_usage_perc{instance=~"prefill.*"} or vllm:gpu_cache_usage_perc{instance=~"prefill.*"})`},
	{"prefill TTFT, buckets merged first", "vllm:time_to_first_token_seconds", ask("ttft", of("vllm"), on(query.RolePrefill), perRole, byModel),
		`histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:time_to_first_token_seconds_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
	{"prefill time P50", "vllm:request_prefill_time_seconds", ask("prefill_time", of("vllm"), perRole, byModel, quantile(0.5)),
		`histogram_quantile(0.5, sum by (le, model_name) (rate(vllm:request_prefill_time_seconds_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
	{"prefill time mean", "vllm:request_prefill_time_seconds", ask("prefill_time", of("vllm"), perRole, byModel, statistic(query.StatMean)),
		`sum by (model_name) (rate(vllm:request_prefill_time_seconds_sum{instance=~"prefill.*"}[4s])) / (sum by (model_name) (rate(vllm:request_prefill_time_seconds_count{instance=~"prefill.*"}[4s])) > 0)`},
	{"prefill queue time mean, old name allowed", "vllm:request_queue_time_seconds", ask("queue_time", of("vllm"), on(query.RolePrefill), perRole, byModel, statistic(query.StatMean)),
		`sum by (model_name) (rate(vllm:request_queue_time_seconds_sum{instance=~"prefill.*"}[4s]) or ignoring (le) rate(vllm:time_in_queue_requests_sum{instance=~"prefill.*"}[4s])) / (sum by (model_name) (rate(vllm:request_queue_time_seconds_count{instance=~"prefill.*"}[4s]) or ignoring (le) rate(vllm:time_in_queue_requests_count{instance=~"prefill.*"}[4s])) > 0)`},
	{"prefix hit rate over hits and queries", "vllm:prefix_cache_hits_total vllm:prefix_cache_queries_total", ask("prefix_cache_hit_rate", of("vllm"), perRole, byModel, holding(server("vllm", deployment.RoleByMatchers, "vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total"))),
		`sum by (model_name) (rate(vllm:prefix_cache_hits_total{instance=~"prefill.*"}[4s])) / (sum by (model_name) (rate(vllm:prefix_cache_queries_total{instance=~"prefill.*"}[4s])) > 0)`},
	{"preemptions", "vllm:num_preemptions_total", ask("preemption_rate", of("vllm"), on(query.RolePrefill), perRole, byModel),
		`sum by (model_name) (irate(vllm:num_preemptions_total{instance=~"prefill.*"}[4s]))`},
}

var decodeRowsVLLM = []stageRow{
	{"decode running", "vllm:num_requests_running", ask("requests_running", of("vllm"), on(query.RoleDecode), perRole, byModel),
		`sum by (model_name) (vllm:num_requests_running{instance=~"decode.*"})`},
	{"decode waiting", "vllm:num_requests_waiting", ask("requests_waiting", of("vllm"), on(query.RoleDecode), perRole, byModel),
		`sum by (model_name) (vllm:num_requests_waiting{instance=~"decode.*"})`},
	{"decode tok/s", "vllm:generation_tokens_total", ask("decode_token_rate", of("vllm"), perRole, byModel),
		`sum by (model_name) (irate(vllm:generation_tokens_total{instance=~"decode.*"}[4s]))`},
	{"decode req/s without aborts and errors", "vllm:request_success_total", ask("decode_request_rate", of("vllm"), perRole, byModel),
		`sum by (model_name) (irate(vllm:request_success_total{finished_reason!~"abort|error",instance=~"decode.*"}[4s]))`},
	{"decode KV usage", "vllm:kv_cache_usage_perc", ask("kv_cache_usage", of("vllm"), on(query.RoleDecode), perRole, byModel),
		`max by (model_name) (vllm:kv_cache_usage_perc{instance=~"decode.*"} or vllm:gpu_cache_usage_perc{instance=~"decode.*"})`},
	{"ITL of a server that has the new name alone", "vllm:inter_token_latency_seconds", ask("itl", of("vllm"), perRole, byModel, zoomed, holding(server("vllm", deployment.RoleByMatchers, "vllm:inter_token_latency_seconds_bucket"))),
		`histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:inter_token_latency_seconds_bucket{instance=~"decode.*"}[16s]))) >= 0`},
	{"decode E2E P95", "vllm:e2e_request_latency_seconds", ask("e2e_latency", of("vllm"), on(query.RoleDecode), perRole, byModel, quantile(0.95)),
		`histogram_quantile(0.95, sum by (le, model_name) (rate(vllm:e2e_request_latency_seconds_bucket{instance=~"decode.*"}[4s]))) >= 0`},
	{"decode time mean", "vllm:request_decode_time_seconds", ask("decode_time", of("vllm"), perRole, byModel, statistic(query.StatMean), zoomed),
		`sum by (model_name) (rate(vllm:request_decode_time_seconds_sum{instance=~"decode.*"}[16s])) / (sum by (model_name) (rate(vllm:request_decode_time_seconds_count{instance=~"decode.*"}[16s])) > 0)`},
}

// Gauges of SGLang's scheduler repeat on tensor-parallel ranks and again for each
// priority; token counters repeat on ranks, tokenizer counters do not.
var prefillRowsSGLang = []stageRow{
	{"prefill running", "sglang:num_running_reqs", ask("requests_running", of("sglang"), on(query.RolePrefill), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_running_reqs{engine_type="prefill",priority=""}))`},
	{"prefill queue", "sglang:num_queue_reqs", ask("requests_waiting", of("sglang"), on(query.RolePrefill), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_queue_reqs{engine_type="prefill",priority=""}))`},
	{"bootstrap queue under both its names", "sglang:num_prefill_bootstrap_queue_reqs", ask("prefill_bootstrap_queue", byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_prefill_bootstrap_queue_reqs{engine_type="prefill",priority=""} or sglang:num_prefill_prealloc_queue_reqs{engine_type="prefill",priority=""}))`},
	{"inflight queue", "sglang:num_prefill_inflight_queue_reqs", ask("prefill_inflight_queue", byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_prefill_inflight_queue_reqs{engine_type="prefill",priority=""}))`},
	{"prefill tok/s of a server without smooth counters", "sglang:prompt_tokens_total", ask("prefill_token_rate", of("sglang"), byModel, ranked(compile.RanksSum), holding(server("sglang", deployment.RoleByLabel, "sglang:prompt_tokens_total"))),
		`sum by (model_name) (irate(sglang:prompt_tokens_total{engine_type="prefill"}[4s]))`},
	{"prefill req/s of a server without outcomes", "sglang:num_requests_total", ask("prefill_request_rate", of("sglang"), byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:num_requests_total"))),
		`sum by (model_name) (irate(sglang:num_requests_total{engine_type="prefill"}[4s]))`},
	{"prefill req/s of a server that is not known", "sglang:num_requests_total", ask("prefill_request_rate", of("sglang"), byModel, zoomed),
		`sum by (model_name) (rate(sglang:finished_requests_by_outcome_total{engine_type="prefill",outcome="success"}[16s]) or on (cluster, engine_type, instance, job, model_name, namespace, node, pod) rate(sglang:num_requests_total{engine_type="prefill"}[16s]))`},
	{"occupied: used and evictable over capacity", "sglang:kv_used_tokens sglang:kv_evictable_tokens sglang:max_total_num_tokens", ask("kv_cache_occupied", on(query.RolePrefill), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:kv_used_tokens{engine_type="prefill"}) + max ` + noRanks + ` (sglang:kv_evictable_tokens{engine_type="prefill"}))` +
			` / (sum by (model_name) (max ` + noRanks + ` (sglang:max_total_num_tokens{engine_type="prefill"}) and max ` + noRanks + ` (sglang:kv_used_tokens{engine_type="prefill"}) + max ` + noRanks + ` (sglang:kv_evictable_tokens{engine_type="prefill"})) > 0)`},
	{"active: used over capacity", "sglang:kv_used_tokens sglang:max_total_num_tokens", ask("kv_cache_active", on(query.RolePrefill), byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:kv_used_tokens", "sglang:max_total_num_tokens"))),
		`sum by (model_name) (max ` + noRanks + ` (sglang:kv_used_tokens{engine_type="prefill"})) / (sum by (model_name) (max ` + noRanks + ` (sglang:max_total_num_tokens{engine_type="prefill"}) and max ` + noRanks + ` (sglang:kv_used_tokens{engine_type="prefill"})) > 0)`},
	{"the raw hit-rate gauge", "sglang:cache_hit_rate", ask("prefix_cache_hit_rate_last_batch", byModel),
		`max by (model_name) (sglang:cache_hit_rate{engine_type="prefill"})`},
	{"the hit rate from counters", "sglang:cached_tokens_total", ask("prefix_cache_hit_rate", of("sglang"), byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:realtime_tokens_total"))),
		`sum by (model_name) (avg ` + noRanks + ` (rate(sglang:realtime_tokens_total{engine_type="prefill",mode="prefill_cache"}[4s]))) / (sum by (model_name) (avg ` + noRanks + ` (rate(sglang:realtime_tokens_total{engine_type="prefill",mode=~"prefill_cache|prefill_compute"}[4s]))) > 0)`},
	{"aborts", "sglang:num_aborted_requests_total", ask("abort_rate", of("sglang"), on(query.RolePrefill), byModel),
		`sum by (model_name) (irate(sglang:num_aborted_requests_total{engine_type="prefill"}[4s]))`},
	{"retracted, raw", "sglang:num_retracted_reqs", ask("retracted_requests", on(query.RolePrefill), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_retracted_reqs{engine_type="prefill"}))`},
	{"bootstrap failures, a copy on each rank", "sglang:num_bootstrap_failed_reqs_total", ask("bootstrap_failure_rate", byModel),
		`sum by (model_name) (avg ` + noRanks + ` (irate(sglang:num_bootstrap_failed_reqs_total{engine_type="prefill"}[4s])))`},
}

var decodeRowsSGLang = []stageRow{
	{"decode running", "sglang:num_running_reqs", ask("requests_running", of("sglang"), on(query.RoleDecode), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_running_reqs{engine_type="decode",priority=""}))`},
	{"decode queue", "sglang:num_queue_reqs", ask("requests_waiting", of("sglang"), on(query.RoleDecode), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_queue_reqs{engine_type="decode",priority=""}))`},
	{"prealloc queue", "sglang:num_decode_prealloc_queue_reqs", ask("decode_prealloc_queue", byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_decode_prealloc_queue_reqs{engine_type="decode",priority=""}))`},
	{"transfer queue", "sglang:num_decode_transfer_queue_reqs", ask("decode_transfer_queue", byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:num_decode_transfer_queue_reqs{engine_type="decode",priority=""}))`},
	{"decode tok/s of a server without smooth counters", "sglang:generation_tokens_total", ask("decode_token_rate", of("sglang"), byModel, zoomed, ranked(compile.RanksSum), holding(server("sglang", deployment.RoleByLabel, "sglang:generation_tokens_total"))),
		`sum by (model_name) (rate(sglang:generation_tokens_total{engine_type="decode"}[16s]))`},
	{"decode req/s of a server that tells outcomes", "sglang:num_requests_total", ask("decode_request_rate", of("sglang"), byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:finished_requests_by_outcome_total", "sglang:num_requests_total"))),
		`sum by (model_name) (irate(sglang:finished_requests_by_outcome_total{engine_type="decode",outcome="success"}[4s]) or on (engine_type, instance, job, model_name) irate(sglang:num_requests_total{engine_type="decode"}[4s]))`},
	{"TTFT is decode's", "sglang:time_to_first_token_seconds", ask("ttft", of("sglang"), byModel),
		`histogram_quantile(0.99, sum by (le, model_name) (rate(sglang:time_to_first_token_seconds_bucket{engine_type="decode"}[4s]))) >= 0`},
	{"ITL of a server that has the new name alone", "sglang:inter_token_latency_seconds", ask("itl", of("sglang"), byModel, quantile(0.5), holding(server("sglang", deployment.RoleByLabel, "sglang:inter_token_latency_seconds_bucket"))),
		`histogram_quantile(0.5, sum by (le, model_name) (rate(sglang:inter_token_latency_seconds_bucket{engine_type="decode"}[4s]))) >= 0`},
	{"decode E2E", "sglang:e2e_request_latency_seconds", ask("e2e_latency", of("sglang"), on(query.RoleDecode), byModel),
		`histogram_quantile(0.99, sum by (le, model_name) (rate(sglang:e2e_request_latency_seconds_bucket{engine_type="decode"}[4s]))) >= 0`},
	{"decode used tokens", "sglang:kv_used_tokens", ask("kv_cache_used_tokens", on(query.RoleDecode), byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:kv_used_tokens"))),
		`sum by (model_name) (max ` + noRanks + ` (sglang:kv_used_tokens{engine_type="decode"}))`},
	{"decode evictable tokens", "sglang:kv_evictable_tokens", ask("kv_cache_evictable_tokens", on(query.RoleDecode), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:kv_evictable_tokens{engine_type="decode"}))`},
	{"decode capacity", "sglang:max_total_num_tokens", ask("kv_cache_capacity_tokens", on(query.RoleDecode), byModel),
		`sum by (model_name) (max ` + noRanks + ` (sglang:max_total_num_tokens{engine_type="decode"}))`},
}

// Bytes are sharded: every series of every rank is added, none is filtered.
var transferRows = []stageRow{
	{"KV bytes/s of SGLang, every rank of it", "flagcx_total_bytes_transferred_total", ask("kv_transfer_byte_rate", byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total"))),
		`sum by (model_name) (irate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s]))`},
	{"KV bytes/s of vLLM", "flagcx_total_bytes_transferred_total", ask("kv_transfer_byte_rate", perRole, byModel, zoomed, holding(server("vllm", deployment.RoleByMatchers, "vllm:flagcx_total_bytes_transferred_total"))),
		`sum by (model_name) (rate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*"}[16s]))`},
	{"KV bytes, cumulative, all ranks of SGLang", "flagcx_total_bytes_transferred_total", ask("kv_transfer_bytes", byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total"))),
		`sum by (model_name) (sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"})`},
	{"KV bytes of a server that has the bare name alone", "flagcx_total_bytes_transferred_total", ask("kv_transfer_bytes", holding(server("flagcx", deployment.RoleByNothing, "flagcx_total_bytes_transferred_total"))),
		`sum(flagcx_total_bytes_transferred_total)`},
	// 8 KV heads × 40 layers × 2 × 128 × 8192 tokens × 2 B = 1,342,177,280 B.
	{"KV req/s by the size given with the query", "flagcx_total_bytes_transferred_total", ask("kv_transfer_request_rate", byModel, ofBytes(1342177280), holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total"))),
		`sum by (model_name) (irate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s])) / 1342177280`},
}

func ofBytes(n int64) func(*compile.Request) {
	return func(r *compile.Request) { r.Query.BytesPerRequest = n }
}

func stageRows() []stageRow {
	var all []stageRow
	for _, part := range [][]stageRow{prefillRowsVLLM, decodeRowsVLLM, prefillRowsSGLang, decodeRowsSGLang, transferRows} {
		all = append(all, part...)
	}
	return all
}

func TestEveryMetricOfTheStagesCompiles(t *testing.T) {
	for _, row := range stageRows() {
		t.Run(row.metric+" "+row.name, func(t *testing.T) {
			require.Equal(t, row.want, only(t, row.ask))
		})
	}
}

func TestEveryMetricOfTheStagesIsAskedFor(t *testing.T) {
	asked := ""
	for _, row := range stageRows() {
		asked += only(t, row.ask) + "\n"
	}
	for _, metric := range strings.Fields(`
		vllm:num_requests_running vllm:num_requests_waiting vllm:prompt_tokens_total vllm:request_success_total
		vllm:kv_cache_usage_perc vllm:time_to_first_token_seconds_bucket vllm:request_prefill_time_seconds_
		vllm:request_queue_time_seconds_ vllm:prefix_cache_hits_total vllm:prefix_cache_queries_total
		vllm:num_preemptions_total vllm:generation_tokens_total vllm:inter_token_latency_seconds_bucket
		vllm:e2e_request_latency_seconds_bucket vllm:request_decode_time_seconds_
		sglang:num_running_reqs sglang:num_queue_reqs sglang:num_prefill_bootstrap_queue_reqs
		sglang:num_prefill_inflight_queue_reqs sglang:prompt_tokens_total sglang:num_requests_total
		sglang:kv_used_tokens sglang:kv_evictable_tokens sglang:max_total_num_tokens sglang:cache_hit_rate
		sglang:num_aborted_requests_total sglang:num_retracted_reqs sglang:num_bootstrap_failed_reqs_total
		sglang:num_decode_prealloc_queue_reqs sglang:num_decode_transfer_queue_reqs sglang:generation_tokens_total
		sglang:time_to_first_token_seconds_bucket sglang:inter_token_latency_seconds_bucket
		sglang:e2e_request_latency_seconds_bucket flagcx_total_bytes_transferred_total`) {
		require.Contains(t, asked, metric)
	}
}

// The connector's counter is talked of without a prefix; each engine exports it
// under its own.
func TestKVBytesAreLookedForUnderEveryPrefix(t *testing.T) {
	asked := strings.Join(promqls(planned(t, ask("kv_transfer_byte_rate", perRole))), "\n")
	for _, want := range []string{
		`irate(vllm:flagcx_total_bytes_transferred_total{instance=~"prefill.*"}[4s])`,
		`irate(sglang:flagcx_total_bytes_transferred_total{engine_type="prefill"}[4s])`,
		`irate(flagcx_total_bytes_transferred_total[4s])`,
	} {
		require.Contains(t, asked, want)
	}
	require.NotContains(t, asked, "tp_rank")
}

// The three curves are compared with one another.
func TestTheThreeCurvesShareModeAndWindow(t *testing.T) {
	for _, step := range []time.Duration{time.Second, 15 * time.Second, time.Hour, 0} {
		windows, calls := map[time.Duration]bool{}, map[string]bool{}
		for _, signal := range []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate"} {
			p := planned(t, ask(signal, ofBytes(1), func(r *compile.Request) { r.Step = step }))
			windows[p.Window] = true
			for _, e := range p.Expressions {
				calls["irate"] = calls["irate"] || strings.Contains(e.PromQL, "irate(")
				calls["rate"] = calls["rate"] || strings.Contains(strings.ReplaceAll(e.PromQL, "irate(", ""), "rate(")
			}
		}
		require.Len(t, windows, 1, "step %s", step)
		require.NotEqual(t, calls["irate"], calls["rate"], "step %s", step)
	}
}

// A gauge of concurrency explains; it is no throughput.
func TestRequestRatesComeFromCountersAlone(t *testing.T) {
	for _, signal := range []string{"prefill_request_rate", "kv_transfer_request_rate", "decode_request_rate"} {
		for _, e := range planned(t, ask(signal, ofBytes(1))).Expressions {
			require.NotContains(t, e.PromQL, "running")
			require.NotContains(t, e.PromQL, "waiting")
		}
	}
}
