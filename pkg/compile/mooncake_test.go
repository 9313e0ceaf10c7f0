package compile_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/compile"
	"github.com/ptd-monitor/pdmonitor/pkg/query"
)

func onMooncake(signal string, edits ...func(*compile.Request)) compile.Request {
	return ask(signal, append([]func(*compile.Request){of("mooncake")}, edits...)...)
}

func TestPromQLOfMooncakesConnector(t *testing.T) {
	sayExactly(t, map[string]wording{
		"latency, on prefill": {onMooncake("kv_transfer_latency", perRole),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:mooncake_xfer_time_seconds_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
		"mean size": {onMooncake("kv_transfer_size", statistic(query.StatMean), perRole),
			`sum(rate(vllm:mooncake_bytes_transferred_sum{instance=~"prefill.*"}[4s])) / (sum(rate(vllm:mooncake_bytes_transferred_count{instance=~"prefill.*"}[4s])) > 0)`},
		"descriptors": {onMooncake("kv_transfer_descriptors", perRole),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:mooncake_num_descriptors_bucket{instance=~"prefill.*"}[4s]))) >= 0`},
		"transfers": {onMooncake("kv_transfer_operation_rate", perRole),
			`sum(irate(vllm:mooncake_xfer_time_seconds_count{instance=~"prefill.*"}[4s]))`},
		"descriptors per second": {onMooncake("kv_transfer_descriptor_rate", perRole),
			`sum(irate(vllm:mooncake_num_descriptors_sum{instance=~"prefill.*"}[4s]))`},
		"speed while busy": {onMooncake("kv_transfer_busy_throughput", perRole),
			`sum(rate(vllm:mooncake_bytes_transferred_sum{instance=~"prefill.*"}[4s])) / (sum(rate(vllm:mooncake_xfer_time_seconds_sum{instance=~"prefill.*"}[4s])) > 0)`},
		"failed transfers": {onMooncake("transfer_failure_rate", perRole),
			`sum(irate(vllm:mooncake_num_failed_transfers_total{instance=~"prefill.*"}[4s]))`},
		"failed receives": {onMooncake("kv_receive_failure_rate", perRole),
			`sum(irate(vllm:mooncake_num_failed_recvs_total{instance=~"decode.*"}[4s]))`},
		"expired leases": {onMooncake("kv_lease_expiry_rate", perRole),
			`sum(irate(vllm:mooncake_num_kv_expired_reqs_total{instance=~"prefill.*"}[4s]))`},
	})
}

// Operations are unlike things: what would mix them is split.
func TestPromQLOfMooncakesStore(t *testing.T) {
	sayExactly(t, map[string]wording{
		"operation time": {onMooncake("mooncake_store_operation_time", byModel),
			`histogram_quantile(0.99, sum by (le, model_name, operation) (rate(vllm:mooncake_store_operation_time_seconds_bucket[4s]))) >= 0`},
		"loads alone": {onMooncake("mooncake_store_operation_time", where("operation", query.OpEqual, "load_get")),
			`histogram_quantile(0.99, sum by (le) (rate(vllm:mooncake_store_operation_time_seconds_bucket{operation="load_get"}[4s]))) >= 0`},
		"operations": {onMooncake("mooncake_store_operation_rate", by("operation", "status")),
			`sum by (operation, status) (irate(vllm:mooncake_store_operation_total[4s]))`},
		"keys":        {onMooncake("mooncake_store_key_rate"), `sum by (operation) (irate(vllm:mooncake_store_operation_keys_total[4s]))`},
		"bytes":       {onMooncake("mooncake_store_byte_rate"), `sum by (operation) (irate(vllm:mooncake_store_operation_bytes_total[4s]))`},
		"failed keys": {onMooncake("mooncake_store_failed_key_rate"), `sum(irate(vllm:mooncake_store_operation_failed_keys_total[4s]))`},
	})
}

func TestPromQLOfMooncakesClient(t *testing.T) {
	microseconds := func(metric string) string {
		return `histogram_quantile(0.99, sum by (le) (rate(` + metric + `_bucket[4s]))) / 1000000 >= 0`
	}
	sayExactly(t, map[string]wording{
		"bytes read":        {onMooncake("mooncake_read_byte_rate", by("instance")), `sum by (instance) (irate(mooncake_transfer_read_bytes[4s]))`},
		"bytes written":     {onMooncake("mooncake_write_byte_rate"), `sum(irate(mooncake_transfer_write_bytes[4s]))`},
		"get":               {onMooncake("mooncake_get_latency"), microseconds("mooncake_transfer_get_latency")},
		"put":               {onMooncake("mooncake_put_latency"), microseconds("mooncake_transfer_put_latency")},
		"batch get":         {onMooncake("mooncake_batch_get_latency"), microseconds("mooncake_transfer_batch_get_latency")},
		"batch put":         {onMooncake("mooncake_batch_put_latency"), microseconds("mooncake_transfer_batch_put_latency")},
		"SSD read":          {onMooncake("mooncake_ssd_read_latency"), microseconds("mooncake_ssd_read_latency_us")},
		"SSD write":         {onMooncake("mooncake_ssd_write_latency"), microseconds("mooncake_ssd_write_latency_us")},
		"reads":             {onMooncake("mooncake_read_operation_rate", by("operation")), `sum by (op_name) (irate(mooncake_transfer_read_operation_count[4s]))`},
		"writes":            {onMooncake("mooncake_write_operation_rate"), `sum(irate(mooncake_transfer_write_operation_count[4s]))`},
		"read failures":     {onMooncake("mooncake_read_failure_rate"), `sum(irate(mooncake_transfer_read_failures[4s]))`},
		"read misses":       {onMooncake("mooncake_read_miss_rate"), `sum(irate(mooncake_transfer_read_misses[4s]))`},
		"reads in flight":   {onMooncake("mooncake_inflight_reads"), `sum(mooncake_transfer_inflight_read_operations)`},
		"RPCs":              {onMooncake("mooncake_rpc_rate", by("rpc")), `sum by (rpc_name) (irate(mooncake_client_rpc_count[4s]))`},
		"memory":            {onMooncake("mooncake_process_memory", by("instance")), `sum by (instance) (mooncake_process_rss_bytes)`},
		"swap":              {onMooncake("mooncake_process_swap"), `sum(mooncake_process_swap_bytes)`},
		"latency of a call": {onMooncake("mooncake_rpc_latency"), `histogram_quantile(0.99, sum by (le, rpc_name) (rate(mooncake_client_rpc_latency_bucket[4s]))) / 1000000 >= 0`},
		"latency of reads": {onMooncake("mooncake_read_operation_latency"),
			`histogram_quantile(0.99, sum by (le, op_name) (rate(mooncake_transfer_read_operation_latency_bucket[4s]))) / 1000000 >= 0`},
		"latency of one kind of write": {onMooncake("mooncake_write_operation_latency", where("operation", query.OpEqual, "batch_put_from")),
			`histogram_quantile(0.99, sum by (le) (rate(mooncake_transfer_write_operation_latency_bucket{op_name="batch_put_from"}[4s]))) / 1000000 >= 0`},
	})
}

func TestPromQLOfMooncakesMaster(t *testing.T) {
	sayExactly(t, map[string]wording{
		"allocated":         {onMooncake("mooncake_allocated_bytes", by("job")), `max by (job) (master_allocated_bytes)`},
		"capacity":          {onMooncake("mooncake_capacity_bytes"), `max(master_total_capacity_bytes)`},
		"usage":             {onMooncake("mooncake_capacity_usage"), `max(master_allocated_bytes) / (max(master_total_capacity_bytes) > 0)`},
		"files allocated":   {onMooncake("mooncake_file_allocated_bytes"), `max(master_allocated_file_size_bytes)`},
		"file capacity":     {onMooncake("mooncake_file_capacity_bytes"), `max(master_total_file_capacity_bytes)`},
		"file usage":        {onMooncake("mooncake_file_capacity_usage"), `max(master_allocated_file_size_bytes) / (max(master_total_file_capacity_bytes) > 0)`},
		"segment bytes":     {onMooncake("mooncake_segment_allocated_bytes"), `max by (segment) (segment_allocated_bytes)`},
		"segment usage":     {onMooncake("mooncake_segment_capacity_usage"), `max by (segment) (segment_allocated_bytes) / (max by (segment) (segment_total_capacity_bytes) > 0)`},
		"keys":              {onMooncake("mooncake_keys"), `max(master_key_count)`},
		"clients":           {onMooncake("mooncake_active_clients"), `max(master_active_clients)`},
		"attempts":          {onMooncake("mooncake_eviction_attempt_rate"), `sum(irate(master_attempted_evictions_total[4s]))`},
		"evictions":         {onMooncake("mooncake_eviction_rate"), `sum(irate(master_successful_evictions_total[4s]))`},
		"eviction success":  {onMooncake("mooncake_eviction_success_ratio"), `sum(rate(master_successful_evictions_total[4s])) / (sum(rate(master_attempted_evictions_total[4s])) > 0)`},
		"puts begun":        {onMooncake("mooncake_batch_put_start_rate"), `sum(irate(master_batch_put_start_requests_total[4s]))`},
		"puts ended":        {onMooncake("mooncake_batch_put_end_rate"), `sum(irate(master_batch_put_end_requests_total[4s]))`},
		"puts revoked":      {onMooncake("mooncake_batch_put_revoke_rate"), `sum(irate(master_batch_put_revoke_requests_total[4s]))`},
		"snapshot time":     {onMooncake("mooncake_snapshot_time"), `histogram_quantile(0.99, sum by (le) (rate(master_snapshot_duration_ms_bucket[4s]))) / 1000 >= 0`},
		"snapshot failures": {onMooncake("mooncake_snapshot_failure_rate"), `sum(irate(master_snapshot_fail[4s]))`},
	})
}

func TestNumbersOfMooncake(t *testing.T) {
	one := func(v float64) map[string]float64 { return map[string]float64{`{system="mooncake"}`: v} }
	check(t, map[string]numbers{
		// 30 000 µs in 4 gets.
		"latencies are microseconds": {`
			mooncake_transfer_get_latency_sum 0+30000x60
			mooncake_transfer_get_latency_count 0+4x60`,
			onMooncake("mooncake_get_latency", statistic(query.StatMean)), one(0.0075)},
		// Half of 8 up to 100 µs, the rest up to 200 µs.
		"P75 of a call in seconds": {`
			mooncake_client_rpc_latency_bucket{rpc_name="Ping",le="100"} 0+4x60
			mooncake_client_rpc_latency_bucket{rpc_name="Ping",le="200"} 0+8x60
			mooncake_client_rpc_latency_bucket{rpc_name="Ping",le="+Inf"} 0+8x60`,
			onMooncake("mooncake_rpc_latency", quantile(0.75)), map[string]float64{`{rpc="Ping", system="mooncake"}`: 0.00015}},
		// The master that does not lead answers 0: a mean would halve it.
		"the leader's usage": {`
			master_allocated_bytes{instance="m0"} 0x60
			master_allocated_bytes{instance="m1"} 300x60
			master_total_capacity_bytes{instance="m0"} 0x60
			master_total_capacity_bytes{instance="m1"} 400x60`,
			onMooncake("mooncake_capacity_usage"), one(0.75)},
		"no capacity, no usage": {`
			master_allocated_bytes 0x60
			master_total_capacity_bytes 0x60`,
			onMooncake("mooncake_capacity_usage"), map[string]float64{}},
		"segments pair by name": {`
			segment_allocated_bytes{segment="a"} 10x60
			segment_allocated_bytes{segment="b"} 90x60
			segment_total_capacity_bytes{segment="a"} 100x60
			segment_total_capacity_bytes{segment="b"} 120x60`,
			onMooncake("mooncake_segment_capacity_usage"), map[string]float64{`{segment="a", system="mooncake"}`: 0.1, `{segment="b", system="mooncake"}`: 0.75}},
		"nothing to evict is no failure": {`
			master_successful_evictions_total 12x60
			master_attempted_evictions_total 15x60`,
			onMooncake("mooncake_eviction_success_ratio"), map[string]float64{}},
		"loads and saves are apart": {`
			vllm:mooncake_store_operation_bytes_total{operation="load_get",status="ok"} 0+400x60
			vllm:mooncake_store_operation_bytes_total{operation="save_put",status="ok"} 0+1000x60
			vllm:mooncake_store_operation_bytes_total{operation="save_put",status="error"} 0+10x60`,
			onMooncake("mooncake_store_byte_rate"), map[string]float64{`{operation="load_get", system="mooncake"}`: 400, `{operation="save_put", system="mooncake"}`: 1010}},
	})
}

func TestTheRealPageOfMooncake(t *testing.T) {
	one := func(v float64) map[string]float64 { return map[string]float64{`{system="mooncake"}`: v} }
	tests := map[string]struct {
		ask  compile.Request
		want map[string]float64
	}{
		"a counter without _total": {onMooncake("mooncake_read_byte_rate"), one(1024)},
		"a counter that ends in _count": {onMooncake("mooncake_read_operation_rate", by("operation")), map[string]float64{
			`{operation="get_into", system="mooncake"}`: 2, `{operation="batch_get_into", system="mooncake"}`: 3}},
		"failures":                   {onMooncake("mooncake_read_failure_rate"), one(1)},
		"misses":                     {onMooncake("mooncake_read_miss_rate"), one(4)},
		"1 GiB":                      {onMooncake("mooncake_allocated_bytes"), one(1073741824)},
		"1 of 8 GiB":                 {onMooncake("mooncake_capacity_usage"), one(0.125)},
		"1 of 2 GiB of files":        {onMooncake("mooncake_file_capacity_usage"), one(0.5)},
		"12 of 15 evictions":         {onMooncake("mooncake_eviction_success_ratio"), one(0.8)},
		"15 attempts":                {onMooncake("mooncake_eviction_attempt_rate"), one(15)},
		"10 of 100 bytes of segment": {onMooncake("mooncake_segment_capacity_usage"), map[string]float64{`{segment="a", system="mooncake"}`: 0.1}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.want, answers(t, page(t, "mooncake-client-and-master-fixtures.prom"), planned(t, test.ask), minute))
		})
	}
}
