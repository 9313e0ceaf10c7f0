package rules

import (
	"fmt"
	"slices"
	"time"

	"github.com/prometheus/common/model"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/promql"
)

// recordEvery is how often recording rules are evaluated.
const recordEvery = 15 * time.Second

// recorded are the signals of the PD overview. What is computed of others, such as KV
// req/s, is read from those.
func recorded() []string {
	return []string{
		"prefill_request_rate", "decode_request_rate", "kv_transfer_byte_rate", "kv_transfer_bytes",
		"prefill_token_rate", "decode_token_rate", "kv_bytes_per_request_measured", "kv_transfer_latency",
		"requests_running", "requests_waiting",
		"prefill_bootstrap_queue", "prefill_inflight_queue", "decode_prealloc_queue", "decode_transfer_queue",
		"ttft", "itl", "e2e_latency", "queue_time", "prefill_time", "decode_time",
		"kv_cache_usage", "kv_cache_occupied", "kv_cache_active", "prefix_cache_hit_rate",
		"abort_rate", "request_error_rate", "preemption_rate", "retraction_rate",
		"bootstrap_failure_rate", "transfer_failure_rate",
	}
}

// Records renders recording rules for Prometheus of what the PD overview reads, by model
// and instance, rates once for each window. The labels are the logical ones, and system,
// exporter and role tell apart what is not to be added up.
func Records(s Source, windows []time.Duration) ([]byte, error) {
	var file prometheusFile
	compiler := compile.New(s.Catalog)
	request := compile.Request{Options: s.Options, Deployment: withoutRecords(s.Deployment)}
	for _, signal := range recorded() {
		group := prometheusGroup{Name: "pdmonitor-recording-" + signal, Interval: model.Duration(recordEvery).String()}
		var seen []deployment.Recorded
		for _, window := range windows {
			made, err := compiler.Record(request, signal, window)
			if err != nil {
				return nil, err
			}
			for _, r := range made {
				if slices.Contains(seen, r.Recorded) {
					continue // a gauge has no window
				}
				seen = append(seen, r.Recorded)
				one, err := recording(r)
				if err != nil {
					return nil, fmt.Errorf("signal %s: %w", signal, err)
				}
				group.Rules = append(group.Rules, one)
			}
		}
		if len(group.Rules) > 0 {
			file.Groups = append(file.Groups, group)
		}
	}
	return written(file)
}

// withoutRecords is the deployment as if nothing was recorded: what is recorded is made
// from what engines export.
func withoutRecords(d *deployment.Deployment) *deployment.Deployment {
	if d == nil {
		return nil
	}
	raw := *d
	raw.Recorded = nil
	return &raw
}

func recording(r compile.Recording) (prometheusRule, error) {
	labels := map[string]string{"system": r.Recorded.System, "exporter": r.Recorded.Exporter}
	if r.Recorded.Role != "" {
		labels["role"] = string(r.Recorded.Role)
	}
	return prometheusRule{Record: r.Recorded.Name, Expr: expr(promql.Pretty(promql.Renamed(r.Tree, r.Rename))), Labels: labels}, nil
}
