package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/deployment"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onNIXL(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("nixl"), perRole}, edits...)...)
}

// Transfers are counted on whichever side reads, so no role is selected; leases are prefill's.
func TestPromQLOfNIXL(t *testing.T) {
	sayExactly(t, map[string]wording{
		"latency": {onNIXL("kv_transfer_latency", byModel),
			`histogram_quantile(0.99, sum by (le, model_name) (rate(vllm:nixl_xfer_time_seconds_bucket[4s]))) >= 0`},
		"post time": {onNIXL("kv_transfer_post_time"),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:nixl_post_time_seconds_bucket[4s]))) >= 0`},
		"bytes per second": {onNIXL("kv_transfer_byte_rate", by("instance")),
			`sum by (instance) (irate(vllm:nixl_bytes_transferred_sum[4s]))`},
		"mean size of a transfer": {onNIXL("kv_transfer_size", statistic(query.StatMean)),
			`sum(rate(vllm:nixl_bytes_transferred_sum[4s])) / (sum(rate(vllm:nixl_bytes_transferred_count[4s])) > 0)`},
		"descriptors of a transfer": {onNIXL("kv_transfer_descriptors", quantile(0.5)),
			`histogram_quantile(0.5, sum by (le) (rate(vllm:nixl_num_descriptors_bucket[4s]))) >= 0`},
		"descriptors per second": {onNIXL("kv_transfer_descriptor_rate"),
			`sum(irate(vllm:nixl_num_descriptors_sum[4s]))`},
		"transfers per second": {onNIXL("kv_transfer_operation_rate"),
			`sum(irate(vllm:nixl_xfer_time_seconds_count[4s]))`},
		"speed while busy": {onNIXL("kv_transfer_busy_throughput", byModel),
			`sum by (model_name) (rate(vllm:nixl_bytes_transferred_sum[4s])) / (sum by (model_name) (rate(vllm:nixl_xfer_time_seconds_sum[4s])) > 0)`},
		"failed transfers": {onNIXL("transfer_failure_rate"),
			`sum(irate(vllm:nixl_num_failed_transfers_total[4s]))`},
		"failed notifications": {onNIXL("kv_notification_failure_rate"),
			`sum(irate(vllm:nixl_num_failed_notifications_total[4s]))`},
		"expired leases": {onNIXL("kv_lease_expiry_rate"),
			`sum(irate(vllm:nixl_num_kv_expired_reqs_total{instance=~"prefill.*"}[4s]))`},
		"notifications that came too late": {onNIXL("kv_late_notification_rate"),
			`sum(irate(vllm:nixl_num_notifications_after_expiry_total{instance=~"prefill.*"}[4s]))`},
	})
}

// Two decode engines: in each second of the clock the ranks of one read 4 times,
// side by side, the other once; 1.6 s and 0.4 s of transfer time.
const twoReaders = `
	vllm:nixl_bytes_transferred_sum{instance="decode-0"} 0+2000x60
	vllm:nixl_bytes_transferred_count{instance="decode-0"} 0+4x60
	vllm:nixl_xfer_time_seconds_sum{instance="decode-0"} 0+1.6x60
	vllm:nixl_xfer_time_seconds_count{instance="decode-0"} 0+4x60
	vllm:nixl_num_descriptors_sum{instance="decode-0"} 0+400x60
	vllm:nixl_num_descriptors_count{instance="decode-0"} 0+4x60
	vllm:nixl_bytes_transferred_sum{instance="decode-1"} 0+1000x60
	vllm:nixl_bytes_transferred_count{instance="decode-1"} 0+1x60
	vllm:nixl_xfer_time_seconds_sum{instance="decode-1"} 0+0.4x60
	vllm:nixl_xfer_time_seconds_count{instance="decode-1"} 0+1x60
	vllm:nixl_num_descriptors_sum{instance="decode-1"} 0+50x60
	vllm:nixl_num_descriptors_count{instance="decode-1"} 0+1x60`

func TestNumbersOfNIXL(t *testing.T) {
	one := func(v float64) map[string]float64 { return map[string]float64{`{system="nixl"}`: v} }
	check(t, map[string]numbers{
		// 3000 bytes a second by the clock, 3000 ÷ 2 s of transfers: two different numbers.
		"bytes by the clock":               {twoReaders, onNIXL("kv_transfer_byte_rate"), one(3000)},
		"bytes while busy":                 {twoReaders, onNIXL("kv_transfer_busy_throughput"), one(1500)},
		"no speed while nothing moves":     {`vllm:nixl_xfer_time_seconds_sum 4x60`, onNIXL("kv_transfer_busy_throughput"), map[string]float64{}},
		"mean size, 3000 ÷ 5":              {twoReaders, onNIXL("kv_transfer_size", statistic(query.StatMean)), one(600)},
		"mean descriptors, 450 ÷ 5":        {twoReaders, onNIXL("kv_transfer_descriptors", statistic(query.StatMean)), one(90)},
		"transfers":                        {twoReaders, onNIXL("kv_transfer_operation_rate"), one(5)},
		"mean transfer time, 2 s ÷ 5":      {twoReaders, onNIXL("kv_transfer_latency", statistic(query.StatMean)), one(0.4)},
		"asked of prefill, it has none":    {twoReaders, onNIXL("kv_transfer_byte_rate", on(query.RolePrefill)), map[string]float64{}},
		"descriptors over all transfers":   {twoReaders, onNIXL("kv_transfer_descriptor_rate"), one(450)},
		"the sum is bytes since the start": {twoReaders, onNIXL("kv_transfer_bytes"), one(180000)},
		"leases that decode reports are none of its own": {`
			vllm:nixl_num_kv_expired_reqs_total{instance="prefill-0"} 0+2x60
			vllm:nixl_num_kv_expired_reqs_total{instance="decode-0"} 0x60`,
			onNIXL("kv_lease_expiry_rate"), one(2)},
	})
}

func TestOneConnectorTellsTheSizeOfTransfers(t *testing.T) {
	both := server("vllm", deployment.RoleByMatchers, "vllm:flagcx_bytes_transferred_bucket", "vllm:nixl_bytes_transferred_bucket")
	p := planned(t, ask("kv_transfer_size", perRole, holding(both)))
	require.Equal(t, []string{`flagcx: histogram_quantile(0.99, sum by (le) (rate(vllm:flagcx_bytes_transferred_bucket{instance=~"prefill.*"}[4s]))) >= 0`}, promqls(p))
	require.Contains(t, texts(p), "count the same twice: NIXL")
}
