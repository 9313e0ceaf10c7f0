package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onDynamo(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("dynamo")}, edits...)...)
}

// The frontend's label is model; the router has none.
func TestPromQLOfDynamo(t *testing.T) {
	p99 := func(metric string) string {
		return `histogram_quantile(0.99, sum by (le) (rate(dynamo_` + metric + `_bucket[4s])))`
	}
	sayExactly(t, map[string]wording{
		"requests by model and status": {onDynamo("gateway_request_rate", by("model", "status")), `sum by (model, status) (irate(dynamo_frontend_requests_total[4s]))`},
		"requests that ended well": {onDynamo("gateway_success_ratio", byModel),
			`sum by (model) (rate(dynamo_frontend_requests_total{status="success"}[4s])) / (sum by (model) (rate(dynamo_frontend_requests_total[4s])) > 0)`},
		"TTFT of a model": {onDynamo("gateway_ttft", byModel, where("model", query.OpEqual, "a/b-1.5")),
			`histogram_quantile(0.99, sum by (le, model) (rate(dynamo_frontend_time_to_first_token_seconds_bucket{model="a/b-1.5"}[4s]))) >= 0`},
		"ITL":           {onDynamo("gateway_itl"), p99("frontend_inter_token_latency_seconds") + ` >= 0`},
		"duration":      {onDynamo("gateway_request_duration"), p99("frontend_request_duration_seconds") + ` >= 0`},
		"output tokens": {onDynamo("gateway_output_token_rate"), `sum(irate(dynamo_frontend_output_tokens_total[4s]))`},
		"input length":  {onDynamo("gateway_input_length"), p99("frontend_input_sequence_tokens") + ` >= 0`},
		"output length": {onDynamo("gateway_output_length"), p99("frontend_output_sequence_tokens") + ` >= 0`},
		"cached tokens": {onDynamo("gateway_cached_tokens"), p99("frontend_cached_tokens") + ` >= 0`},
		"in flight, new name or old": {onDynamo("gateway_inflight_requests", byModel),
			`sum by (model) (dynamo_frontend_active_requests or dynamo_frontend_inflight_requests)`},
		"before the first token":      {onDynamo("gateway_queued_requests", byModel), `sum by (model) (dynamo_frontend_queued_requests)`},
		"stages and phases apart":     {onDynamo("gateway_stage_requests"), `sum by (phase, stage) (dynamo_frontend_stage_requests)`},
		"disconnected, never a rate":  {onDynamo("gateway_disconnected_clients"), `sum(dynamo_frontend_disconnected_clients)`},
		"router overhead in seconds":  {onDynamo("router_overhead"), p99("router_overhead_total_ms") + ` / 1000 >= 0`},
		"block hashing":               {onDynamo("router_block_hashing_time"), p99("router_overhead_block_hashing_ms") + ` / 1000 >= 0`},
		"sequence hashing":            {onDynamo("router_sequence_hashing_time"), p99("router_overhead_seq_hashing_ms") + ` / 1000 >= 0`},
		"index look-up":               {onDynamo("router_index_lookup_time"), p99("router_overhead_indexer_find_matches_ms") + ` / 1000 >= 0`},
		"shared cache":                {onDynamo("router_shared_cache_time"), p99("router_overhead_shared_cache_query_ms") + ` / 1000 >= 0`},
		"scheduling":                  {onDynamo("router_scheduling_time"), p99("router_overhead_scheduling_ms") + ` / 1000 >= 0`},
		"router queue by worker type": {onDynamo("router_queue_requests", by("worker_type")), `sum by (worker_type) (dynamo_frontend_router_queue_pending_requests)`},
		"router requests by component": {onDynamo("router_request_rate", by("dynamo_component")),
			`sum by (dynamo_component) (irate(dynamo_component_router_requests_total[4s]))`},
		"router TTFT": {onDynamo("router_ttft"), p99("component_router_time_to_first_token_seconds") + ` >= 0`},
		"router ITL":  {onDynamo("router_itl"), p99("component_router_inter_token_latency_seconds") + ` >= 0`},
		"predicted hit rate, its mean": {onDynamo("router_predicted_hit_rate", statistic(query.StatMean)),
			`sum(rate(dynamo_component_router_kv_hit_rate_sum[4s])) / (sum(rate(dynamo_component_router_kv_hit_rate_count[4s])) > 0)`},
	})
}

func TestNumbersOfTheGateway(t *testing.T) {
	dynamo := func(v float64) map[string]float64 { return map[string]float64{`{system="dynamo"}`: v} }
	check(t, map[string]numbers{
		// 3 ms over 2 requests.
		"overhead of milliseconds": {`
			dynamo_router_overhead_total_ms_sum{router_id="1"} 0+3x60
			dynamo_router_overhead_total_ms_count{router_id="1"} 0+2x60`,
			onDynamo("router_overhead", statistic(query.StatMean)), dynamo(0.0015)},
		// A router's short prompts weigh as much as the long ones: (0.9 + 3 × 0.1) ÷ 4.
		"hit rate is one value for each request": {`
			dynamo_component_router_kv_hit_rate_sum{router_id="1",dynamo_component="prefill"} 0+0.9x60
			dynamo_component_router_kv_hit_rate_count{router_id="1",dynamo_component="prefill"} 0+1x60
			dynamo_component_router_kv_hit_rate_sum{router_id="2",dynamo_component="decode"} 0+0.3x60
			dynamo_component_router_kv_hit_rate_count{router_id="2",dynamo_component="decode"} 0+3x60`,
			onDynamo("router_predicted_hit_rate", statistic(query.StatMean)), dynamo(0.3)},
		"idle routers predict nothing": {`
			dynamo_component_router_kv_hit_rate_sum{router_id="1"} 0x60
			dynamo_component_router_kv_hit_rate_count{router_id="1"} 0x60`,
			onDynamo("router_predicted_hit_rate", statistic(query.StatMean)), map[string]float64{}},
		// Newer frontends export both names of one number; an older one has the old name.
		"in flight counts once": {`
			dynamo_frontend_active_requests{instance="new",model="m"} 8x60
			dynamo_frontend_inflight_requests{instance="new",model="m"} 8x60
			dynamo_frontend_inflight_requests{instance="old",model="m"} 3x60`,
			onDynamo("gateway_inflight_requests"), dynamo(11)},
		"success": {`
			dynamo_frontend_requests_total{model="m",endpoint="completions",status="success",error_type=""} 0+18x60
			dynamo_frontend_requests_total{model="m",endpoint="completions",status="error",error_type="overload"} 0+2x60`,
			onDynamo("gateway_success_ratio"), dynamo(0.9)},
		"errors by type": {`
			dynamo_frontend_requests_total{model="m",status="success",error_type=""} 0+18x60
			dynamo_frontend_requests_total{model="m",status="error",error_type="overload"} 0+2x60
			dynamo_frontend_requests_total{model="m",status="error",error_type="cancelled"} 0+1x60`,
			onDynamo("gateway_request_rate", by("error_type"), where("status", query.OpEqual, "error")),
			map[string]float64{`{error_type="overload", system="dynamo"}`: 2, `{error_type="cancelled", system="dynamo"}`: 1}},
	})
}

func TestTheGatewayKnowsNoRoleAndNoEngineIsMerged(t *testing.T) {
	require.Equal(t, only(t, onDynamo("gateway_ttft")), only(t, onDynamo("gateway_ttft", on(query.RoleDecode))))
	for _, text := range promqls(planned(t, ask("ttft", perRole))) {
		require.NotContains(t, text, "dynamo_")
	}
	require.Contains(t, texts(planned(t, onDynamo("router_request_rate"))), "every engine number doubles")
}

func TestTheRealPageOfDynamo(t *testing.T) {
	const name = "dynamo-frontend-and-vllm-worker-anonymised.prom"
	const model = "example/example-model-nvfp4"
	tests := map[string]struct {
		ask  compile.Request
		want map[string]float64
	}{
		"6000 + 100 requests": {onDynamo("gateway_request_rate", byModel), map[string]float64{`{model="` + model + `", system="dynamo"}`: 6100}},
		"by endpoint": {onDynamo("gateway_request_rate", by("endpoint")), map[string]float64{
			`{endpoint="completions", system="dynamo"}`: 6000, `{endpoint="chat_completions", system="dynamo"}`: 100}},
		"all ended well":            {onDynamo("gateway_success_ratio"), map[string]float64{`{system="dynamo"}`: 1}},
		"output tokens":             {onDynamo("gateway_output_token_rate"), map[string]float64{`{system="dynamo"}`: 500000}},
		"without first token":       {onDynamo("gateway_queued_requests", byModel), map[string]float64{`{model="` + model + `", system="dynamo"}`: 3}},
		"nothing in flight is told": {onDynamo("gateway_inflight_requests"), map[string]float64{}},
	}
	for title, test := range tests {
		t.Run(title, func(t *testing.T) {
			got := answers(t, page(t, name), planned(t, test.ask), minute)
			require.InDeltaMapValues(t, test.want, got, 1e-6)
		})
	}
}
