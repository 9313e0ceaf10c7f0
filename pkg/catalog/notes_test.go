package catalog_test

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/ptd-monitor/pdmonitor/pkg/catalog"
)

// noted are the signals that read a metric of which operators' tables say how to
// judge it; a reader of those tables must find that here.
const noted = `
	prefill_request_rate decode_request_rate prefill_token_rate decode_token_rate

	finished_request_rate prompt_token_rate tokens_per_step prompt_tokens_per_request output_tokens_per_request
	prefill_computed_tokens_per_request estimated_flops_per_gpu_rate estimated_read_bytes_per_gpu_rate
	estimated_write_bytes_per_gpu_rate

	cached_token_rate gen_throughput_raw forward_pass_rate cuda_graph_decode_share cuda_graph_prefill_share
	cuda_graph_active_raw forward_busy_share

	ttft itl tpot e2e_latency queue_time prefill_time decode_time

	inference_time model_forward_time model_execute_time

	stage_latency grammar_compilation_time

	requests_running requests_waiting prefill_bootstrap_queue prefill_inflight_queue decode_prealloc_queue
	decode_transfer_queue

	requests_waiting_by_reason kv_fetch_requests_by_stage

	grammar_queue

	kv_cache_usage kv_cache_occupied kv_cache_active kv_cache_used_tokens kv_cache_evictable_tokens
	kv_cache_capacity_tokens prefix_cache_hit_rate prefix_cache_hit_rate_last_batch

	external_prefix_cache_hit_rate kv_block_lifetime kv_block_idle_before_eviction kv_block_reuse_gap

	full_attention_pool_usage swa_pool_usage mamba_pool_usage

	spec_acceptance_rate spec_acceptance_length spec_acceptance_rate_by_position spec_draft_token_rate
	spec_accepted_token_rate spec_draft_rate

	kv_transfer_byte_rate kv_transfer_latency kv_bytes_per_request_measured

	kv_transfer_size kv_transfer_descriptors kv_transfer_post_time kv_transfer_operation_rate
	kv_transfer_descriptor_rate kv_transfer_busy_throughput kv_notification_failure_rate kv_lease_expiry_rate
	kv_late_notification_rate

	kv_transfer_bootstrap_time kv_transfer_alloc_time kv_transfer_rank_size kv_transfer_speed_raw
	decode_pending_prealloc_usage

	hicache_host_usage hicache_host_used_tokens hicache_host_capacity_tokens evicted_token_rate eviction_time
	hicache_backup_token_rate hicache_backup_byte_rate hicache_backup_time hicache_backup_bandwidth
	hicache_load_back_token_rate hicache_load_back_byte_rate hicache_load_back_time hicache_load_back_bandwidth
	hicache_dropped_token_rate hicache_prefetched_token_rate hicache_prefetch_bandwidth
	hicache_storage_hit_token_rate hicache_storage_unfulfilled_token_rate

	offload_load_block_rate offload_load_issued_block_rate offload_save_block_rate offload_save_drop_ratio
	offload_pending_store_blocks offload_used_blocks hisparse_hit_rate hisparse_host_cache_usage
	hisparse_pending_transfers hisparse_block_lifetime hisparse_block_reuse_gap

	mooncake_read_byte_rate mooncake_write_byte_rate mooncake_get_latency mooncake_put_latency
	mooncake_batch_get_latency mooncake_batch_put_latency mooncake_rpc_rate mooncake_rpc_latency
	mooncake_ssd_read_latency mooncake_ssd_write_latency mooncake_process_memory mooncake_process_swap
	mooncake_allocated_bytes mooncake_capacity_bytes mooncake_capacity_usage mooncake_snapshot_time

	lmcache_lookup_rate lmcache_retrieve_rate lmcache_store_rate lmcache_lookup_token_rate
	lmcache_lookup_hit_token_rate lmcache_lookup_hit_rate lmcache_lookup_hit_rate_raw lmcache_requested_token_rate
	lmcache_retrieved_token_rate lmcache_retrieve_hit_rate lmcache_retrieve_hit_rate_raw lmcache_stored_token_rate
	lmcache_lookup_time lmcache_retrieve_time lmcache_store_time lmcache_retrieve_speed lmcache_store_speed
	lmcache_copy_to_gpu_time lmcache_copy_from_gpu_time lmcache_store_put_time lmcache_remote_get_time
	lmcache_remote_put_time lmcache_remote_get_sync_time lmcache_remote_batched_get_blocking_time
	lmcache_cpu_used_bytes lmcache_remote_used_bytes lmcache_disk_used_bytes lmcache_cpu_eviction_rate
	lmcache_cpu_eviction_failure_rate lmcache_forced_unpin_rate lmcache_p2p_request_rate lmcache_p2p_token_rate
	lmcache_p2p_transfer_time lmcache_p2p_transfer_speed

	lmcache_mp_lookup_token_rate lmcache_mp_lookup_hit_token_rate lmcache_mp_l1_hit_token_rate
	lmcache_mp_l2_hit_token_rate lmcache_mp_l2_hit_key_rate lmcache_mp_lookup_hit_rate lmcache_mp_l1_hit_rate
	lmcache_mp_l2_hit_rate lmcache_mp_l1_read_rate lmcache_mp_l1_write_rate lmcache_mp_l1_eviction_rate
	lmcache_mp_l1_used_bytes lmcache_mp_l1_usage lmcache_mp_l1_chunk_lifetime
	lmcache_mp_l1_chunk_idle_before_eviction lmcache_mp_l1_chunk_evict_reuse_gap lmcache_mp_l2_store_submit_rate
	lmcache_mp_l2_store_complete_rate lmcache_mp_l2_prefetched_chunk_rate lmcache_mp_l2_load_complete_rate
	lmcache_mp_prefetch_jobs lmcache_mp_l2_stores_inflight lmcache_mp_l2_loads_inflight
	lmcache_mp_l0_l1_store_throughput lmcache_mp_l0_l1_load_throughput lmcache_mp_l2_load_throughput
	lmcache_mp_transfer_byte_rate lmcache_mp_transfer_busy_time_rate lmcache_mp_transfer_bandwidth
	lmcache_mp_l1_allocation_failure_rate lmcache_mp_l1_read_failure_rate lmcache_mp_l2_prefetch_failure_rate

	gateway_ttft gateway_itl gateway_request_duration gateway_inflight_requests gateway_queued_requests
	gateway_disconnected_clients router_overhead router_request_rate router_predicted_hit_rate

	gpu_utilization gpu_engine_active gpu_sm_active gpu_sm_active_min gpu_sm_occupancy gpu_tensor_active
	gpu_dram_active gpu_memory_used gpu_memory_free gpu_memory_usage gpu_memory_controller_utilization
	gpu_pcie_transmit_bandwidth gpu_pcie_receive_bandwidth gpu_nvlink_transmit_bandwidth
	gpu_nvlink_receive_bandwidth gpu_pcie_transmit_byte_rate gpu_pcie_receive_byte_rate
	gpu_nvlink_transmit_byte_rate gpu_nvlink_receive_byte_rate gpu_sm_clock gpu_sm_clock_min gpu_memory_clock
	gpu_clock_event_reasons_raw gpu_power gpu_energy_rate gpu_last_xid_raw xid_error_rate gpu_pcie_replay_rate
	decode_tokens_per_gpu

	rdma_receive_byte_rate rdma_transmit_byte_rate rdma_receive_link_share rdma_transmit_link_share
	rdma_transmit_wait_rate rdma_cnp_sent_rate rdma_cnp_handled_rate rdma_adaptive_retransmit_rate
	rdma_duplicate_request_rate rdma_rnr_nak_rate rdma_ack_timeout_rate rdma_out_of_buffer_rate

	preemption_rate retraction_rate retracted_requests abort_rate request_error_rate bootstrap_failure_rate
	transfer_failure_rate

	request_success_ratio admission_rejection_rate preemptions_per_request

	retracted_input_token_rate retracted_output_token_rate prefill_retry_rate
`

func TestEverySignalOfTheRequirementsTablesSaysHowToJudgeIt(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	for _, id := range strings.Fields(noted) {
		s, ok := c.Signal(id)
		require.True(t, ok, id)
		require.NotEmpty(t, s.NoteZH, id)
	}
}

// longestNote is what still reads as one short sentence in a cell of a table.
const longestNote = 80

func TestNotesAreShortChineseSentences(t *testing.T) {
	c, err := catalog.Load()
	require.NoError(t, err)
	for _, s := range c.Signals() {
		if s.NoteZH == "" {
			continue
		}
		runes := utf8.RuneCountInString(s.NoteZH)
		require.Less(t, runes, longestNote, s.ID)
		require.True(t, strings.HasSuffix(s.NoteZH, "。"), "%s ends without a full stop", s.ID)
		require.Equal(t, 1, strings.Count(s.NoteZH, "。"), "%s is more than one sentence", s.ID)
		require.NotContains(t, s.NoteZH, "\n", s.ID)
		require.NotEqual(t, s.TitleZH, strings.TrimSuffix(s.NoteZH, "。"), "%s only repeats its title", s.ID)
		han := 0
		for _, r := range s.NoteZH {
			if unicode.Is(unicode.Han, r) {
				han++
			}
		}
		// Names of metrics and units stay as they are.
		require.Greater(t, 3*han, runes, "%s is no Chinese: %s", s.ID, s.NoteZH)
	}
}
