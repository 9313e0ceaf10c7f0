package compile_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/kvcache"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

// Each of four ranks moves its quarter of the KV cache, 250 B/s.
const shards = `
	sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="m",tp_rank="0",pp_rank="0"} 0+250x60
	sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="m",tp_rank="1",pp_rank="0"} 0+250x60
	sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="m",tp_rank="0",pp_rank="1"} 0+250x60
	sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="m",tp_rank="1",pp_rank="1"} 0+250x60`

func TestBytesOfAllRanks(t *testing.T) {
	check(t, map[string]numbers{
		"the shards of all ranks add up": {shards, ask("kv_transfer_byte_rate", byModel), map[string]float64{`{model="m", system="flagcx"}`: 1000}},
		// 4 × 250 × 60 at the end of the minute.
		"cumulative bytes are the counters' own sum": {shards, ask("kv_transfer_bytes"), map[string]float64{`{system="flagcx"}`: 60000}},
		"by rank each shard is seen": {shards, ask("kv_transfer_byte_rate", of("sglang"), by("tp_rank")),
			map[string]float64{`{system="flagcx", tp_rank="0"}`: 500, `{system="flagcx", tp_rank="1"}`: 500}},
		"the bare name": {`
			flagcx_total_bytes_transferred_total{instance="prefill-0"} 0+700x60`,
			ask("kv_transfer_byte_rate"), map[string]float64{`{system="flagcx"}`: 700}},
		"vLLM's one series for an engine": {`
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",engine="0"} 0+300x60
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-1",engine="0"} 0+400x60
			vllm:flagcx_total_bytes_transferred_total{instance="decode-0",engine="0"} 0x60`,
			ask("kv_transfer_byte_rate", perRole), map[string]float64{`{system="flagcx"}`: 700}},
		// A rank restarts: the rate has to come before the sum. It is 500 at 60 s again.
		"the rate is taken before the sum": {`
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="0"} 0+250x60
			sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",tp_rank="1"} 0+250x58 0 250 500`,
			ask("kv_transfer_byte_rate"), map[string]float64{`{system="flagcx"}`: 500}},
		// 10 + 10 MiB over two ranks.
		"SGLang's own megabytes are MiB": {`
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="0"} 0+10x60
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="1"} 0+10x60`,
			ask("kv_transfer_byte_rate", holding(server("sglang", deployment.RoleByLabel, "sglang:kv_transfer_total_mb_sum"))),
			map[string]float64{`{system="sglang"}`: 20971520}},
		// In pull mode decode counts; whoever counts, it is counted once.
		"NIXL's bytes are counted on whichever side reads": {`
			vllm:nixl_bytes_transferred_sum{instance="decode-0"} 0+800x60`,
			ask("kv_transfer_byte_rate", perRole, holding(server("vllm", deployment.RoleByMatchers, "vllm:nixl_bytes_transferred_sum"))),
			map[string]float64{`{system="nixl"}`: 800}},
		"Mooncake's connector": {`
			vllm:mooncake_bytes_transferred_sum{instance="prefill-0"} 0+900x60`,
			ask("kv_transfer_byte_rate", perRole, holding(server("vllm", deployment.RoleByMatchers, "vllm:mooncake_bytes_transferred_sum"))),
			map[string]float64{`{system="mooncake"}`: 900}},
		// 1000 B/s of SGLang's four shards, 300 B/s of vLLM's engine.
		"by exporter each engine's bytes are a series of their own": {shards + `
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",engine="0"} 0+300x60`,
			ask("kv_transfer_byte_rate", perRole, by("exporter")),
			map[string]float64{`{exporter="sglang", system="flagcx"}`: 1000, `{exporter="vllm", system="flagcx"}`: 300}},
		// Both count the same 1000 bytes; FlagCX is the better source.
		"two sources of the same bytes are not added": {shards + `
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",model_name="m",tp_rank="0"} 0+7x60`,
			ask("kv_transfer_byte_rate", holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:kv_transfer_total_mb_sum"))),
			map[string]float64{`{system="flagcx"}`: 1000}},
		"the settings may choose the other source": {shards + `
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",model_name="m",tp_rank="0"} 0+1x60`,
			ask("kv_transfer_byte_rate", holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:kv_transfer_total_mb_sum")),
				func(r *compile.Request) { r.Options.KVSource = "sglang" }),
			map[string]float64{`{system="sglang"}`: 1048576}},
		// vLLM's 300 are in no other series; SGLang's two instances move 250 and 450.
		"by engine each engine of each exporter is its own": {`
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",engine="0"} 0+300x60
			sglang:flagcx_total_bytes_transferred_total{instance="a",engine_type="prefill",tp_rank="0"} 0+250x60
			sglang:flagcx_total_bytes_transferred_total{instance="b",engine_type="prefill",tp_rank="0"} 0+450x60`,
			ask("kv_transfer_byte_rate", by("engine")),
			map[string]float64{`{engine="0", exporter="vllm", system="flagcx"}`: 300, `{engine="a", exporter="sglang", system="flagcx"}`: 250, `{engine="b", exporter="sglang", system="flagcx"}`: 450}},
		// Engines of both kinds and a bare page: the total is over all of them.
		"the total is over all engines": {`
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-0",engine="0",model_name="m"} 0+300x60
			flagcx_total_bytes_transferred_total{instance="c",model_name="m"} 0+50x60
			sglang:flagcx_total_bytes_transferred_total{instance="a",engine_type="prefill",model_name="m",tp_rank="0"} 0+250x60`,
			ask("kv_transfer_byte_rate", perRole, byModel),
			map[string]float64{`{model="m", system="flagcx"}`: 600}},
		// A vLLM whose roles cannot be told beside an SGLang that tells them: its 2
		// failures a second may not be shown under both roles.
		"failures of an engine without roles are not shown under each role": {`
			vllm:flagcx_num_failed_transfers_total{instance="x"} 0+2x60
			sglang:flagcx_num_failed_transfers_total{instance="p",engine_type="prefill"} 0+3x60
			sglang:flagcx_num_failed_transfers_total{instance="d",engine_type="decode"} 0+1x60`,
			ask("transfer_failure_rate", of("flagcx"), holding(mixed())),
			map[string]float64{`{system="flagcx"}`: 2, `{role="prefill", system="flagcx"}`: 3, `{role="decode", system="flagcx"}`: 1}},
	})
}

// mixed is a server that holds a vLLM without roles and an SGLang with them.
func mixed() *deployment.Deployment {
	d := server("sglang", deployment.RoleByLabel, "sglang:flagcx_num_failed_transfers_total", "vllm:flagcx_num_failed_transfers_total")
	d.Systems["vllm"] = deployment.Found{RoleBy: deployment.RoleByNothing, Instances: map[query.Role]int{query.RoleUnified: 1}, Models: []string{"m"}}
	return d
}

func TestRequestsWorthOfBytes(t *testing.T) {
	// Model a: two ranks of 500 B/s at 100 B a request, 10 req/s; model b: 600 at 200, 3; c has no size.
	const models = `
		sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="org/a",tp_rank="0"} 0+500x60
		sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="org/a",tp_rank="1"} 0+500x60
		sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="org/b",tp_rank="0"} 0+600x60
		sglang:flagcx_total_bytes_transferred_total{engine_type="prefill",model_name="c",tp_rank="0"} 0+999x60`
	sized := func(r *compile.Request) {
		r.Options.Sizes = kvcache.Sizes{{Model: "org/a", BytesPerRequest: 100}, {Model: "/^org//", BytesPerRequest: 200}}
	}
	faulty := func(r *compile.Request) {
		r.Options.Sizes = kvcache.Sizes{{Model: "org/a", Layers: 3}, {Model: "/(/", BytesPerRequest: 5}, {Model: "/^org//", BytesPerRequest: 200},
			{Model: "/^org//", Fault: errors.New("set already")}}
	}
	found := server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total")
	found.Systems["sglang"] = deployment.Found{RoleBy: deployment.RoleByLabel, Models: []string{"c", "org/a", "org/b"}}
	perModel := map[string]float64{`{model="org/a", system="flagcx"}`: 10, `{model="org/b", system="flagcx"}`: 3}
	check(t, map[string]numbers{
		"each model by its own size":                           {models, ask("kv_transfer_request_rate", byModel, sized, holding(found)), perModel},
		"the total adds requests, not bytes, 10 + 3":           {models, ask("kv_transfer_request_rate", sized, holding(found)), map[string]float64{`{system="flagcx"}`: 13}},
		"sizes as configured where the models are not known":   {models, ask("kv_transfer_request_rate", byModel, sized), perModel},
		"a faulty entry keeps its model from the next one":     {models, ask("kv_transfer_request_rate", byModel, faulty, holding(found)), map[string]float64{`{model="org/b", system="flagcx"}`: 3}},
		"also where the models are not known":                  {models, ask("kv_transfer_request_rate", byModel, faulty), map[string]float64{`{model="org/b", system="flagcx"}`: 3}},
		"their total":                                          {models, ask("kv_transfer_request_rate", sized), map[string]float64{`{system="flagcx"}`: 13}},
		"one model alone":                                      {models, ask("kv_transfer_request_rate", sized, where("model", query.OpEqual, "org/b"), holding(found)), map[string]float64{`{system="flagcx"}`: 3}},
		"all but one model":                                    {models, ask("kv_transfer_request_rate", sized, where("model", query.OpNotEqual, "org/b"), holding(found)), map[string]float64{`{system="flagcx"}`: 10}},
		"one size for all, given with the query, 2599 ÷ 100":   {models, ask("kv_transfer_request_rate", ofBytes(100)), map[string]float64{`{system="flagcx"}`: 25.99}},
		"a size given with the query wins over the configured": {models, ask("kv_transfer_request_rate", byModel, sized, ofBytes(50), where("model", query.OpEqual, "org/b")), map[string]float64{`{model="org/b", system="flagcx"}`: 12}},
		// 20 MiB/s over 4 MiB a request.
		"SGLang's megabytes": {`
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="0"} 0+10x60
			sglang:kv_transfer_total_mb_sum{engine_type="prefill",tp_rank="1"} 0+10x60`,
			ask("kv_transfer_request_rate", ofBytes(4194304), holding(server("sglang", deployment.RoleByLabel, "sglang:kv_transfer_total_mb_sum"))),
			map[string]float64{`{system="sglang"}`: 5}},
	})
}

func TestMeasuredBytesOfARequest(t *testing.T) {
	check(t, map[string]numbers{
		// 4 × 250 B/s over 10 req/s, by model.
		"all shards over prefilled requests": {shards + `
			sglang:num_requests_total{engine_type="prefill",model_name="m"} 0+10x60
			sglang:num_requests_total{engine_type="decode",model_name="m"} 0+10x60`,
			ask("kv_bytes_per_request_measured", byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:num_requests_total"))),
			map[string]float64{`{model="m", system="flagcx"}`: 100}},
		"no request, no size": {shards + `
			sglang:num_requests_total{engine_type="prefill",model_name="m"} 10x60`,
			ask("kv_bytes_per_request_measured", byModel, holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:num_requests_total"))),
			map[string]float64{}},
		"vLLM's completions without aborts": {`
			vllm:flagcx_total_bytes_transferred_total{instance="prefill-0"} 0+1000x60
			vllm:request_success_total{instance="prefill-0",finished_reason="length"} 0+8x60
			vllm:request_success_total{instance="prefill-0",finished_reason="abort"} 0+2x60
			vllm:request_success_total{instance="decode-0",finished_reason="stop"} 0+8x60`,
			ask("kv_bytes_per_request_measured", perRole, holding(server("vllm", deployment.RoleByMatchers, "vllm:flagcx_total_bytes_transferred_total", "vllm:request_success_total"))),
			map[string]float64{`{system="flagcx"}`: 125}},
		// Requests have no rank: the split is not possible, the number is.
		"a split that only the bytes allow is left out of both halves": {shards + `
			sglang:num_requests_total{engine_type="prefill",model_name="m"} 0+10x60`,
			ask("kv_bytes_per_request_measured", by("tp_rank"), holding(server("sglang", deployment.RoleByLabel, "sglang:flagcx_total_bytes_transferred_total", "sglang:num_requests_total"))),
			map[string]float64{`{system="flagcx"}`: 100}},
	})
}

func TestAnIdleTransferIsNoRequest(t *testing.T) {
	p := planned(t, ask("kv_transfer_request_rate", ofBytes(100)))
	require.Empty(t, answers(t, loadedSeries(t, `other 1x60`), p, minute))
}
