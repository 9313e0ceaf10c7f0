package dashboards

import (
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"

	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func limiting() row {
	return row{title: "What limits", height: 6, panels: []drawn{whatLimits()}}
}

// whatLimits has the three rates of each model over a minute, and the queues in the
// order in which a request comes to them.
func whatLimits() table {
	standing := []limit{{10, "semi-dark-yellow"}, {30, "semi-dark-orange"}, {100, "semi-dark-red"}}
	behind := []limit{{0, "semi-dark-red"}, {0.9, "semi-dark-yellow"}, {0.97, "transparent"}}
	return table{
		title: "The three rates over one minute, and whose queue stands", width: 24, next: []string{toPrefill, toTransfer, toDecode},
		reads: "A share well under 100 % names a stage that falls behind the one before it. " +
			"With all rates level, the one queue that stands names the stage that holds the others up: prefill wait its compute, inflight the link, " +
			"bootstrap and prealloc the KV memory of decode, decode wait its batch.",
		silent: "queues between the stages on vLLM, which counts requests that await their KV as waiting on decode. " +
			"Transfer holds what prefill still computes too. KV req/s and its shares are empty for a model whose KV bytes per request are not set. " +
			"One look is no trend: short queues come and go.",
		by: []named{{"model", "Model", 260}},
		columns: []column{
			{"Prefill req/s", over("1m", of("prefill_request_rate", "")), nil},
			{"KV req/s", over("1m", of("kv_transfer_request_rate", "")), nil},
			{"Decode req/s", over("1m", of("decode_request_rate", "")), nil},
			{"Prefill wait", on(query.RolePrefill, of("requests_waiting", "")), standing},
			{"Bootstrap", of("prefill_bootstrap_queue", ""), standing},
			{"Inflight", of("prefill_inflight_queue", ""), standing},
			{"Prealloc", of("decode_prealloc_queue", ""), standing},
			{"Transfer", of("decode_transfer_queue", ""), nil},
			{"Decode wait", on(query.RoleDecode, of("requests_waiting", "")), standing},
		},
		shares: []share{
			{"KV ÷ prefill", "KV req/s", "Prefill req/s", behind},
			{"Decode ÷ KV", "Decode req/s", "KV req/s", behind},
		},
	}
}

// smoothed takes one longer window for all curves: their difference is noise otherwise.
func smoothed(curves []curve) []curve {
	for i := range curves {
		curves[i].query = over("30s", curves[i].query)
	}
	return curves
}

// headroom is the difference of neighbouring stages of one model, made by Grafana
// from the three curves, whose windows are the same.
func headroom() row {
	return row{title: "Headroom between the stages, and tokens", height: 8, collapsed: true, panels: []drawn{
		panel{
			title: "Gap between the stages of $model", width: 24, eachModel: true, below: true, next: []string{toPrefill, toTransfer, toDecode},
			reads: "Req/s that a stage finishes more than the next one, over half a minute. Around 0 the pipeline is level. Above 0 for long, a backlog grows before the later stage; " +
				"below 0 the later stage works off what has gathered. Prefill − decode is the sum of both, and all there is for a model whose KV bytes per request are not set.",
			silent: "how large the backlog is: see the queues. A wrong size of a request moves both curves, in opposite directions.",
			curves: smoothed(threeRates()),
			transformations: []dashboard.DataTransformerConfig{
				{Id: "joinByField", Options: map[string]string{"byField": "Time", "mode": "outer"}},
				binary("Prefill − KV transfer", "Prefill", "-", "KV transfer"),
				binary("KV transfer − decode", "KV transfer", "-", "Decode"),
				binary("Prefill − decode", "Prefill", "-", "Decode"),
				{Id: "filterFieldsByName", Options: map[string]any{"include": map[string]any{
					"names": []string{"Time", "Prefill − KV transfer", "KV transfer − decode", "Prefill − decode"},
				}}},
			},
		},
		panel{
			title: "Prefill tok/s", width: 12, next: []string{toPrefill},
			reads:  "Prompt tokens that prefill computed, without those it found in its cache where the engine tells them apart.",
			silent: "the speed of one request. Engines that count a prompt only when its request ends draw bursts; the notice on the panel names the counter that was used.",
			curves: []curve{{prefillColour, byModel("prefill_token_rate", "")}},
		},
		panel{
			title: "Decode tok/s", width: 12, next: []string{toDecode},
			reads:  "Output tokens that decode produced. At a level request rate it falls when answers get shorter, not only when decode slows down.",
			silent: "the speed of one request: see the inter-token latency. Engines that count tokens only when a request ends draw bursts.",
			curves: []curve{{decodeColour, byModel("decode_token_rate", "")}},
		},
	}}
}
