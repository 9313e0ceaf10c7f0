package compile_test

import (
	"testing"
	"time"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

const minute = time.Minute

// numbers is a set of series, scraped every second, and the answer worked out by hand.
type numbers struct {
	load string
	ask  compile.Request
	want map[string]float64
}

func check(t *testing.T, tests map[string]numbers) {
	t.Helper()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			values(t, test.load, test.ask, minute, test.want)
		})
	}
}

func labelled(name string) map[query.Role]string {
	return map[query.Role]string{query.RolePrefill: name + `="prefill"`, query.RoleDecode: name + `="decode"`}
}

func TestRequestsAreCountedOnce(t *testing.T) {
	check(t, map[string]numbers{
		// 8 + 2 per second; the abort and the error of each second are not successes.
		"aborts and errors are left out of vLLM's completions": {`
			vllm:request_success_total{instance="decode-0",model_name="m",finished_reason="stop"} 0+8x60
			vllm:request_success_total{instance="decode-0",model_name="m",finished_reason="length"} 0+2x60
			vllm:request_success_total{instance="decode-0",model_name="m",finished_reason="abort"} 0+1x60
			vllm:request_success_total{instance="decode-0",model_name="m",finished_reason="error"} 0+1x60`,
			ask("decode_request_rate", of("vllm"), perRole, byModel),
			map[string]float64{`{model="m", system="vllm"}`: 10},
		},
		// The same 10 requests a second are counted by prefill and again by decode.
		"a request that passes prefill and decode is one request on each": {`
			vllm:request_success_total{instance="prefill-0",finished_reason="length"} 0+10x60
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 0+4x60
			vllm:request_success_total{instance="decode-1",finished_reason="stop"} 0+6x60`,
			ask("decode_request_rate", of("vllm"), perRole),
			map[string]float64{`{system="vllm"}`: 10},
		},
		"roles may be told by any label": {`
			vllm:request_success_total{instance="10.0.0.1:8000",part="prefill",finished_reason="length"} 0+10x60
			vllm:request_success_total{instance="10.0.0.2:8000",part="decode",finished_reason="stop"} 0+9x60`,
			ask("prefill_request_rate", of("vllm"), func(r *compile.Request) { r.Options.Roles = labelled("part") }),
			map[string]float64{`{system="vllm"}`: 10},
		},
		// 13 and 14 as on the two public pages, but per second.
		"SGLang's prefill and decode completions stay apart": {`
			sglang:num_requests_total{instance="p",engine_type="prefill"} 0+13x60
			sglang:num_requests_total{instance="d",engine_type="decode"} 0+14x60`,
			ask("decode_request_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 14},
		},
		// d0 tells outcomes: 9 succeed, num_requests counts the same 9 and 1 abort.
		// d1 is older: its 5 are all there is. 9 + 5 = 14, not 9 + 10 + 5.
		"a new SGLang that exports both counters is counted by the clean one": {`
			sglang:finished_requests_by_outcome_total{instance="d0",engine_type="decode",outcome="success"} 0+9x60
			sglang:finished_requests_by_outcome_total{instance="d0",engine_type="decode",outcome="abort"} 0+1x60
			sglang:num_requests_total{instance="d0",engine_type="decode"} 0+10x60
			sglang:num_requests_total{instance="d1",engine_type="decode"} 0+5x60`,
			ask("decode_request_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 14},
		},
		// 6 + 3 successes; the plain counter says 7 + 3, and splits by streaming and priority too.
		"streaming labels on either counter do not bring the other one in": {`
			sglang:finished_requests_by_outcome_total{instance="d0",engine_type="decode",outcome="success",is_streaming="true"} 0+6x60
			sglang:finished_requests_by_outcome_total{instance="d0",engine_type="decode",outcome="success",is_streaming="false"} 0+3x60
			sglang:num_requests_total{instance="d0",engine_type="decode",is_streaming="true",priority="1"} 0+7x60
			sglang:num_requests_total{instance="d0",engine_type="decode",is_streaming="false",priority=""} 0+3x60`,
			ask("decode_request_rate", of("sglang"), windowed),
			map[string]float64{`{system="sglang"}`: 9},
		},
		// Disjoint children of one counter: 6 + 4.
		"priorities of a finished-request counter add up": {`
			sglang:num_requests_total{instance="d0",engine_type="decode",priority="0"} 0+6x60
			sglang:num_requests_total{instance="d0",engine_type="decode",priority="1"} 0+4x60`,
			ask("decode_request_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 10},
		},
		// 3 + 4 + 5 over two instances and two data-parallel engines, by model.
		"instances and data-parallel engines of one model add up, models stay apart": {`
			vllm:request_success_total{instance="decode-0",engine="0",model_name="a",finished_reason="stop"} 0+3x60
			vllm:request_success_total{instance="decode-0",engine="1",model_name="a",finished_reason="stop"} 0+4x60
			vllm:request_success_total{instance="decode-1",engine="0",model_name="a",finished_reason="stop"} 0+5x60
			vllm:request_success_total{instance="decode-2",engine="0",model_name="b",finished_reason="stop"} 0+7x60`,
			ask("decode_request_rate", of("vllm"), perRole, byModel),
			map[string]float64{`{model="a", system="vllm"}`: 12, `{model="b", system="vllm"}`: 7},
		},
		// x exports the same 50 under both prefixes, y 30 under the old one: 80, not 130.
		"both prefixes during a rolling upgrade are alternatives": {`
			sglang:num_requests_total{instance="x",engine_type="decode"} 0+50x60
			sglang_num_requests_total{instance="x",engine_type="decode"} 0+50x60
			sglang_num_requests_total{instance="y",engine_type="decode"} 0+30x60`,
			ask("decode_request_rate", of("sglang"), func(r *compile.Request) {
				r.Options.Prefixes = map[string][]string{"sglang": {"sglang:", "sglang_"}}
			}),
			map[string]float64{`{system="sglang"}`: 80},
		},
		"prefixes found on the server are alternatives too": {`
			sglang:num_requests_total{instance="x",engine_type="decode"} 0+50x60
			sglang_num_requests_total{instance="x",engine_type="decode"} 0+50x60
			sglang_num_requests_total{instance="y",engine_type="decode"} 0+30x60`,
			ask("decode_request_rate", of("sglang"), holding(server("sglang", deployment.RoleByLabel, "sglang:num_requests_total", "sglang_num_requests_total"))),
			map[string]float64{`{system="sglang"}`: 80},
		},
		"a prefix of one's own, even none, is taken": {`
			request_success_total{instance="decode-0",finished_reason="stop"} 0+5x60`,
			ask("decode_request_rate", of("vllm"), perRole, func(r *compile.Request) {
				r.Options.Prefixes = map[string][]string{"vllm": {""}}
			}),
			map[string]float64{`{system="vllm"}`: 5},
		},
		// The engine restarts at 46 s. Within (30 s, 60 s] it counts 310…450 and then 0…140:
		// 140 + 140 = 280 in the 29 s between first and last sample.
		"a restart is no negative rate": {`
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 0+10x45 0+10x15`,
			ask("decode_request_rate", of("vllm"), perRole, windowed),
			map[string]float64{`{system="vllm"}`: 280.0 / 29},
		},
		// A counter that stands still is 0 req/s: that is measured, not idle guesswork.
		"no requests are 0 req/s": {`
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 500x60`,
			ask("decode_request_rate", of("vllm"), perRole),
			map[string]float64{`{system="vllm"}`: 0},
		},
		"vLLM's abort and error rates": {`
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 0+8x60
			vllm:request_success_total{instance="decode-0",finished_reason="error"} 0+2x60`,
			ask("request_error_rate", of("vllm"), on(query.RoleDecode), perRole),
			map[string]float64{`{role="decode", system="vllm"}`: 2},
		},
		"a failure that every rank repeats is one failure": {`
			sglang:num_bootstrap_failed_reqs_total{instance="p",engine_type="prefill",tp_rank="0"} 0+2x60
			sglang:num_bootstrap_failed_reqs_total{instance="p",engine_type="prefill",tp_rank="1"} 0+2x60`,
			ask("bootstrap_failure_rate"),
			map[string]float64{`{system="sglang"}`: 2},
		},
		"a retraction that every rank repeats is one retraction": {`
			sglang:num_retracted_requests_total{instance="d",engine_type="decode",tp_rank="0",pp_rank="0"} 0+3x60
			sglang:num_retracted_requests_total{instance="d",engine_type="decode",tp_rank="1",pp_rank="0"} 0+3x60
			sglang:num_retracted_requests_total{instance="d",engine_type="decode",tp_rank="0",pp_rank="1"} 0+3x60
			sglang:num_retracted_requests_total{instance="d",engine_type="decode",tp_rank="1",pp_rank="1"} 0+3x60`,
			ask("retraction_rate", on(query.RoleDecode)),
			map[string]float64{`{role="decode", system="sglang"}`: 3},
		},
		"preemptions add up over engines": {`
			vllm:num_preemptions_total{instance="decode-0",engine="0"} 0+1x60
			vllm:num_preemptions_total{instance="decode-0",engine="1"} 0+2x60`,
			ask("preemption_rate", on(query.RoleDecode), perRole),
			map[string]float64{`{role="decode", system="vllm"}`: 3},
		},
		// Engines that serve both halves count a request once each: 4 + 5.
		"where no role can be told every engine counts": {`
			vllm:request_success_total{instance="a",finished_reason="stop"} 0+4x60
			vllm:request_success_total{instance="b",finished_reason="stop"} 0+5x60`,
			ask("decode_request_rate", of("vllm"), perRole, holding(server("vllm", deployment.RoleByNothing, "vllm:request_success_total"))),
			map[string]float64{`{system="vllm"}`: 9},
		},
		// engines.md 2.2: on "D and unified": engine u does both halves, p and d one each.
		"unified engines count when they are asked for": {`
			sglang:num_requests_total{instance="u",engine_type="unified"} 0+6x60
			sglang:num_requests_total{instance="d",engine_type="decode"} 0+14x60`,
			ask("decode_request_rate", of("sglang"), on(query.RoleUnified)),
			map[string]float64{`{role="unified", system="sglang"}`: 6},
		},
	})
}

// twoClusters is a server whose targets an external label tells apart.
func twoClusters() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:realtime_tokens_total", "sglang:generation_tokens_total")
	found := d.Systems["sglang"]
	found.Labels = []string{"cluster", "engine_type", "instance", "job", "tp_rank"}
	d.Systems["sglang"] = found
	return d
}

func TestTokensAreCountedOnceAndWithoutCachedOnes(t *testing.T) {
	check(t, map[string]numbers{
		// prefill-0 computed 300 of its 400 prompt tokens; prefill-1 is older and
		// says 50 in all. 300 + 50. Decode counts the prompts again and is left out.
		"computed prompt tokens where told, all prompt tokens elsewhere": {`
			vllm:prompt_tokens_by_source_total{instance="prefill-0",source="local_compute"} 0+300x60
			vllm:prompt_tokens_by_source_total{instance="prefill-0",source="local_cache_hit"} 0+100x60
			vllm:prompt_tokens_total{instance="prefill-0"} 0+400x60
			vllm:prompt_tokens_total{instance="prefill-1"} 0+50x60
			vllm:prompt_tokens_total{instance="decode-0"} 0+450x60`,
			ask("prefill_token_rate", of("vllm"), perRole),
			map[string]float64{`{system="vllm"}`: 350},
		},
		// Both TP ranks say 100 computed and 50 cached; prompt_tokens says 150. It is 100.
		"SGLang's smooth counter wins and its rank copies count once": {`
			sglang:realtime_tokens_total{instance="p",engine_type="prefill",mode="prefill_compute",tp_rank="0",pp_rank="0"} 0+100x60
			sglang:realtime_tokens_total{instance="p",engine_type="prefill",mode="prefill_compute",tp_rank="1",pp_rank="0"} 0+100x60
			sglang:realtime_tokens_total{instance="p",engine_type="prefill",mode="prefill_cache",tp_rank="0",pp_rank="0"} 0+50x60
			sglang:realtime_tokens_total{instance="p",engine_type="prefill",mode="prefill_cache",tp_rank="1",pp_rank="0"} 0+50x60
			sglang:prompt_tokens_total{instance="p",engine_type="prefill",is_streaming="true"} 0+150x60`,
			ask("prefill_token_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 100},
		},
		// DP attention: tp_rank differs and so does the work, 100 + 60; each has two PP copies.
		"data-parallel ranks add up although their tp_rank differs": {`
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="0",dp_rank="0",pp_rank="0"} 0+100x60
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="0",dp_rank="0",pp_rank="1"} 0+100x60
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="1",dp_rank="1",pp_rank="0"} 0+60x60
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="1",dp_rank="1",pp_rank="1"} 0+60x60
			sglang:generation_tokens_total{instance="d",engine_type="decode"} 0+160x60`,
			ask("decode_token_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 160},
		},
		// Grouped by a label that only the smooth counter has, the other is not asked.
		"tokens by data-parallel rank": {`
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="0",dp_rank="0"} 0+100x60
			sglang:realtime_tokens_total{instance="d",engine_type="decode",mode="decode",tp_rank="1",dp_rank="1"} 0+60x60
			sglang:generation_tokens_total{instance="d",engine_type="decode"} 0+160x60`,
			ask("decode_token_rate", of("sglang"), by("dp_rank")),
			map[string]float64{`{dp_rank="0", system="sglang"}`: 100, `{dp_rank="1", system="sglang"}`: 60},
		},
		// engines.md 2.1.2: the tokenizer may carry labels of the site's own. They must
		// not bring its counter in beside the smooth one: 100, not 100 + 150.
		"a custom label on the tokenizer's counter does not count tokens twice": {`
			sglang:realtime_tokens_total{instance="p",engine_type="prefill",mode="prefill_compute",tp_rank="0"} 0+100x60
			sglang:prompt_tokens_total{instance="p",engine_type="prefill",tenant="blue"} 0+150x60`,
			ask("prefill_token_rate", of("sglang")),
			map[string]float64{`{system="sglang"}`: 100},
		},
		// e is new, f is old; instance is no part of an engine's identity here.
		"engines of different groups and versions add up": {`
			sglang:realtime_tokens_total{instance="n0",engine_group="e",engine_type="decode",mode="decode",tp_rank="0"} 0+100x60
			sglang:generation_tokens_total{instance="n0",engine_group="e",engine_type="decode"} 0+100x60
			sglang:generation_tokens_total{instance="n1",engine_group="f",engine_type="decode"} 0+70x60`,
			ask("decode_token_rate", of("sglang"), twoNodes),
			map[string]float64{`{system="sglang"}`: 170},
		},
		// One store over two clusters: address and job repeat, the label cluster tells.
		"equal addresses in two clusters are two engines": {`
			sglang:realtime_tokens_total{cluster="a",job="llm",instance="10.0.0.1:8000",engine_type="decode",mode="decode",tp_rank="0"} 0+100x60
			sglang:generation_tokens_total{cluster="a",job="llm",instance="10.0.0.1:8000",engine_type="decode"} 0+100x60
			sglang:generation_tokens_total{cluster="b",job="llm",instance="10.0.0.1:8000",engine_type="decode"} 0+70x60`,
			ask("decode_token_rate", of("sglang"), holding(twoClusters())),
			map[string]float64{`{system="sglang"}`: 170},
		},
		"the old counter counts where the smooth one is absent": {`
			sglang:realtime_tokens_total{instance="d0",engine_type="decode",mode="decode",tp_rank="0"} 0+100x60
			sglang:generation_tokens_total{instance="d0",engine_type="decode"} 0+100x60
			sglang:generation_tokens_total{instance="d1",engine_type="decode"} 0+70x60`,
			ask("decode_token_rate", of("sglang"), windowed),
			map[string]float64{`{system="sglang"}`: 170},
		},
		// Prefill's one token per request (10/s) is not decode's work.
		"vLLM's output tokens are decode's": {`
			vllm:generation_tokens_total{instance="prefill-0"} 0+10x60
			vllm:generation_tokens_total{instance="decode-0",engine="0"} 0+400x60
			vllm:generation_tokens_total{instance="decode-0",engine="1"} 0+500x60`,
			ask("decode_token_rate", of("vllm"), perRole),
			map[string]float64{`{system="vllm"}`: 900},
		},
	})
}
