// Written by go tool mage wire from the Go side, which is the authority: alerts and shared dashboards never pass
// through this front end. Change the types and lists there, not this file.

export const SCHEMA_VERSION = 1;
export const DEFAULT_QUANTILE = 0.99;
/** Every system that the server holds. */
export const SYSTEM_AUTO = 'auto';

export const QUERY_TYPES = ['signal', 'promql', 'inventory'] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export const STATS = ['', 'quantile', 'mean', 'under', 'heatmap', 'rate', 'skew'] as const;
export type Stat = (typeof STATS)[number];

export const ROLES = ['', 'prefill', 'decode', 'unified'] as const;
export type Role = (typeof ROLES)[number];

export const RATE_MODES = ['auto', 'adjacent', 'window'] as const;
export type RateMode = (typeof RATE_MODES)[number];

export const FORMATS = ['time_series', 'table'] as const;
export type Format = (typeof FORMATS)[number];

export const FILTER_OPS = ['=', '!=', '=~', '!~'] as const;
export type FilterOp = (typeof FILTER_OPS)[number];

export const INVENTORIES = ['signals', 'systems'] as const;
export type Inventory = (typeof INVENTORIES)[number];

export const SEVERITIES = ['info', 'warning', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SIGNAL_KINDS = ['rate', 'total', 'gauge', 'distribution', 'ratio', 'restart'] as const;
export type SignalKind = (typeof SIGNAL_KINDS)[number];

export const RANK_STRATEGIES = ['auto', 'collapse', 'rank0', 'sum'] as const;
export type RankStrategy = (typeof RANK_STRATEGIES)[number];

export const KV_SOURCES = ['auto', 'flagcx', 'nixl', 'sglang', 'mooncake'] as const;
export type KVSource = (typeof KV_SOURCES)[number];

export const HTTP_METHODS = ['POST', 'GET'] as const;
export type HTTPMethod = (typeof HTTP_METHODS)[number];

export const LAYER_KINDS = ['full', 'sliding', 'chunked', 'mla', 'indexer', 'linear', 'none'] as const;
export type LayerKind = (typeof LAYER_KINDS)[number];

export const ROLE_BYS = ['label', 'matchers', 'nothing'] as const;
export type RoleBy = (typeof ROLE_BYS)[number];

export const COUNT_FIELDS = [
  'bytesPerRequest',
  'headDim',
  'inputTokens',
  'kvHeads',
  'layers',
  'prefixHitTokens',
  'blockSize',
  'attentionBlockSize',
  'tp',
  'prefillTP',
  'decodeTP',
  'prefillDP',
  'decodeDP',
  'pp',
  'copies',
] as const;
export type CountField = (typeof COUNT_FIELDS)[number];

export const CHOICE_FIELDS = ['kvDtype', 'engine', 'connector', 'stateDtype', 'indexDtype'] as const;
export type ChoiceField = (typeof CHOICE_FIELDS)[number];

export const SWITCH_FIELDS = ['allTokens', 'draft'] as const;
export type SwitchField = (typeof SWITCH_FIELDS)[number];

export const KV_DTYPES = [
  'auto',
  'bf16',
  'bfloat16',
  'fp16',
  'float16',
  'half',
  'fp8',
  'fp8_e4m3',
  'fp8_e5m2',
  'fp8_inc',
  'int8',
  'fp32',
  'float32',
  'nvfp4',
  'nvfp4_4over6',
  'fp4_mx_block16',
  'fp4_e2m1',
  'mxfp8',
  'fp8_ds_mla',
  'int8_per_token_head',
  'fp8_per_token_head',
  'int4_per_token_head',
  'turboquant_k8v4',
  'turboquant_4bit_nc',
  'turboquant_k3v4_nc',
  'turboquant_3bit_nc',
] as const;

export const PLAIN_KV_DTYPES = [
  'auto',
  'bf16',
  'bfloat16',
  'fp16',
  'float16',
  'half',
  'fp8',
  'fp8_e4m3',
  'fp8_e5m2',
  'int8',
  'fp32',
  'float32',
] as const;

export const STATE_DTYPES = ['bfloat16', 'float16', 'float32'] as const;

export const INDEX_DTYPES = ['fp8', 'fp4', 'bf16'] as const;

export const CONNECTORS = {
  vllm: ['nixl', 'flagcx', 'mooncake', 'p2pnccl', 'multi', 'offloading'],
  sglang: ['mooncake', 'nixl', 'flagcx', 'ascend', 'mori'],
} as const;

export const GROUPS = [
  'Throughput',
  'Latency',
  'Queues',
  'KV cache',
  'PD transfer',
  'Cache tiers',
  'Gateway',
  'GPU',
  'Network',
  'Speculative decoding',
  'Errors',
] as const;
export type Group = (typeof GROUPS)[number];

export const LEVELS = ['request', 'batch', 'server', 'device', 'operation'] as const;
export type Level = (typeof LEVELS)[number];

export const SYSTEMS = {
  dcgm: {
    title: 'DCGM',
    prefixes: ['DCGM_'],
  },
  dynamo: {
    title: 'Dynamo',
    prefixes: ['dynamo_'],
  },
  flagcx: {
    title: 'FlagCX',
    prefixes: [''],
  },
  hicache: {
    title: 'HiCache',
    prefixes: [],
  },
  hisparse: {
    title: 'HiSparse',
    prefixes: [''],
  },
  lmcache: {
    title: 'LMCache',
    prefixes: ['lmcache:'],
  },
  lmcache_mp: {
    title: 'LMCache MP',
    prefixes: ['lmcache_mp_'],
  },
  mooncake: {
    title: 'Mooncake',
    prefixes: [''],
  },
  nixl: {
    title: 'NIXL',
    prefixes: [''],
  },
  offloading: {
    title: 'KV offloading',
    prefixes: [''],
  },
  rdma: {
    title: 'RDMA ports',
    prefixes: ['node_infiniband_'],
  },
  rdma_sysfs: {
    title: 'RDMA ports (sysfs names)',
    prefixes: ['rdma_', ''],
  },
  sglang: {
    title: 'SGLang',
    prefixes: ['sglang:', 'sglang_'],
  },
  simple_offload: {
    title: 'Simple CPU offload',
    prefixes: [''],
  },
  vllm: {
    title: 'vLLM',
    prefixes: ['vllm:', 'ray_vllm_', 'kserve_vllm:'],
  },
} as const;
export type System = keyof typeof SYSTEMS;

/** What systems call a logical label, the commonest first. */
export const LABELS = {
  adapter_index: ['adapter_index'],
  cache_salt: ['cache_salt'],
  cluster_id: ['cluster_id'],
  container: ['container', 'exported_container'],
  device: ['device'],
  device_index: ['device_index'],
  direction: ['direction'],
  dp_rank: ['engine', 'dp_rank'],
  during: ['during'],
  engine: ['engine', 'instance', 'engine_id'],
  gpu: ['gpu'],
  gpu_host: ['Hostname'],
  gpu_model: ['modelName'],
  l2_name: ['l2_name'],
  mig: ['GPU_I_ID'],
  model: ['model_name', 'model', 'served_model_name'],
  namespace: ['exported_namespace', 'namespace'],
  operation: ['op_name', 'operation'],
  outcome: ['outcome'],
  phase: ['phase'],
  pod: ['exported_pod', 'pod'],
  port: ['port'],
  position: ['position'],
  pp_rank: ['pp_rank'],
  priority: ['priority'],
  reason: ['finished_reason', 'reason'],
  rpc: ['rpc_name'],
  segment: ['segment'],
  source: ['cache_source', 'source'],
  stage: ['stage'],
  status: ['status'],
  tp_rank: ['tp_rank'],
  uuid: ['UUID', 'uuid'],
  worker: ['worker_id'],
  xid: ['xid'],
} as const;

export type SignalId =
  | 'prefill_request_rate'
  | 'kv_transfer_request_rate'
  | 'decode_request_rate'
  | 'prefill_token_rate'
  | 'decode_token_rate'
  | 'finished_request_rate'
  | 'prompt_token_rate'
  | 'prompt_tokens_by_source_rate'
  | 'tokens_per_step'
  | 'prompt_tokens_per_request'
  | 'output_tokens_per_request'
  | 'prefill_computed_tokens_per_request'
  | 'estimated_flops_per_gpu_rate'
  | 'estimated_read_bytes_per_gpu_rate'
  | 'estimated_write_bytes_per_gpu_rate'
  | 'cached_token_rate'
  | 'gen_throughput_raw'
  | 'forward_pass_rate'
  | 'cuda_graph_decode_share'
  | 'cuda_graph_prefill_share'
  | 'cuda_graph_active_raw'
  | 'forward_busy_share'
  | 'ttft'
  | 'itl'
  | 'tpot'
  | 'e2e_latency'
  | 'queue_time'
  | 'prefill_time'
  | 'decode_time'
  | 'inference_time'
  | 'model_forward_time'
  | 'model_execute_time'
  | 'stage_latency'
  | 'grammar_compilation_time'
  | 'requests_running'
  | 'requests_waiting'
  | 'prefill_bootstrap_queue'
  | 'prefill_inflight_queue'
  | 'decode_prealloc_queue'
  | 'decode_transfer_queue'
  | 'requests_waiting_by_reason'
  | 'kv_fetch_requests_by_stage'
  | 'grammar_queue'
  | 'http_requests_active'
  | 'kv_cache_usage'
  | 'kv_cache_occupied'
  | 'kv_cache_active'
  | 'kv_cache_used_tokens'
  | 'kv_cache_evictable_tokens'
  | 'kv_cache_capacity_tokens'
  | 'prefix_cache_hit_rate'
  | 'prefix_cache_hit_rate_last_batch'
  | 'external_prefix_cache_hit_rate'
  | 'kv_block_lifetime'
  | 'kv_block_idle_before_eviction'
  | 'kv_block_reuse_gap'
  | 'full_attention_pool_usage'
  | 'swa_pool_usage'
  | 'mamba_pool_usage'
  | 'kv_transfer_byte_rate'
  | 'kv_transfer_bytes'
  | 'kv_transfer_latency'
  | 'kv_bytes_per_request_measured'
  | 'kv_bytes_per_request_ratio'
  | 'kv_bytes_per_token_measured'
  | 'input_tokens_per_request_measured'
  | 'kv_transfer_size'
  | 'kv_transfer_descriptors'
  | 'kv_transfer_post_time'
  | 'kv_transfer_operation_rate'
  | 'kv_transfer_descriptor_rate'
  | 'kv_transfer_busy_throughput'
  | 'kv_receive_failure_rate'
  | 'kv_notification_failure_rate'
  | 'kv_lease_expiry_rate'
  | 'kv_late_notification_rate'
  | 'kv_transfer_bootstrap_time'
  | 'kv_transfer_alloc_time'
  | 'kv_transfer_rank_size'
  | 'kv_transfer_speed_raw'
  | 'decode_pending_prealloc_usage'
  | 'hicache_host_usage'
  | 'hicache_host_used_tokens'
  | 'hicache_host_capacity_tokens'
  | 'evicted_token_rate'
  | 'eviction_time'
  | 'hicache_backup_token_rate'
  | 'hicache_backup_byte_rate'
  | 'hicache_backup_time'
  | 'hicache_backup_bandwidth'
  | 'hicache_load_back_token_rate'
  | 'hicache_load_back_byte_rate'
  | 'hicache_load_back_time'
  | 'hicache_load_back_bandwidth'
  | 'hicache_dropped_token_rate'
  | 'hicache_prefetched_token_rate'
  | 'hicache_prefetch_bandwidth'
  | 'hicache_prefetch_pages'
  | 'hicache_storage_hit_token_rate'
  | 'hicache_storage_unfulfilled_token_rate'
  | 'hicache_prefetch_outcome_rate'
  | 'hicache_transfer_outcome_rate'
  | 'hicache_storage_backup_token_rate'
  | 'hicache_storage_backup_bandwidth'
  | 'hicache_storage_backup_pages'
  | 'offload_load_block_rate'
  | 'offload_load_issued_block_rate'
  | 'offload_save_block_rate'
  | 'offload_save_drop_ratio'
  | 'offload_pending_store_blocks'
  | 'offload_used_blocks'
  | 'offload_load_byte_rate'
  | 'offload_store_byte_rate'
  | 'offload_load_busy_throughput'
  | 'offload_store_busy_throughput'
  | 'hisparse_hit_rate'
  | 'hisparse_load_byte_rate'
  | 'hisparse_host_cache_usage'
  | 'hisparse_pending_transfers'
  | 'hisparse_block_lifetime'
  | 'hisparse_block_idle_before_eviction'
  | 'hisparse_block_reuse_gap'
  | 'mooncake_store_operation_time'
  | 'mooncake_store_operation_rate'
  | 'mooncake_store_key_rate'
  | 'mooncake_store_byte_rate'
  | 'mooncake_store_failed_key_rate'
  | 'mooncake_read_byte_rate'
  | 'mooncake_write_byte_rate'
  | 'mooncake_get_latency'
  | 'mooncake_put_latency'
  | 'mooncake_batch_get_latency'
  | 'mooncake_batch_put_latency'
  | 'mooncake_read_operation_rate'
  | 'mooncake_write_operation_rate'
  | 'mooncake_read_operation_latency'
  | 'mooncake_write_operation_latency'
  | 'mooncake_read_failure_rate'
  | 'mooncake_read_miss_rate'
  | 'mooncake_inflight_reads'
  | 'mooncake_rpc_rate'
  | 'mooncake_rpc_latency'
  | 'mooncake_ssd_read_latency'
  | 'mooncake_ssd_write_latency'
  | 'mooncake_process_memory'
  | 'mooncake_process_swap'
  | 'mooncake_allocated_bytes'
  | 'mooncake_capacity_bytes'
  | 'mooncake_capacity_usage'
  | 'mooncake_file_allocated_bytes'
  | 'mooncake_file_capacity_bytes'
  | 'mooncake_file_capacity_usage'
  | 'mooncake_segment_allocated_bytes'
  | 'mooncake_segment_capacity_usage'
  | 'mooncake_keys'
  | 'mooncake_active_clients'
  | 'mooncake_eviction_attempt_rate'
  | 'mooncake_eviction_rate'
  | 'mooncake_eviction_success_ratio'
  | 'mooncake_batch_put_start_rate'
  | 'mooncake_batch_put_end_rate'
  | 'mooncake_batch_put_revoke_rate'
  | 'mooncake_snapshot_time'
  | 'mooncake_snapshot_failure_rate'
  | 'lmcache_lookup_rate'
  | 'lmcache_retrieve_rate'
  | 'lmcache_store_rate'
  | 'lmcache_lookup_token_rate'
  | 'lmcache_lookup_hit_token_rate'
  | 'lmcache_lookup_hit_rate'
  | 'lmcache_lookup_hit_rate_raw'
  | 'lmcache_requested_token_rate'
  | 'lmcache_retrieved_token_rate'
  | 'lmcache_retrieve_hit_rate'
  | 'lmcache_retrieve_hit_rate_raw'
  | 'lmcache_stored_token_rate'
  | 'lmcache_engine_hit_token_rate'
  | 'lmcache_prompt_token_rate'
  | 'lmcache_lookup_time'
  | 'lmcache_retrieve_time'
  | 'lmcache_store_time'
  | 'lmcache_retrieve_speed'
  | 'lmcache_store_speed'
  | 'lmcache_copy_to_gpu_time'
  | 'lmcache_copy_from_gpu_time'
  | 'lmcache_store_put_time'
  | 'lmcache_remote_get_time'
  | 'lmcache_remote_put_time'
  | 'lmcache_remote_get_sync_time'
  | 'lmcache_remote_batched_get_blocking_time'
  | 'lmcache_cpu_used_bytes'
  | 'lmcache_remote_used_bytes'
  | 'lmcache_disk_used_bytes'
  | 'lmcache_cpu_eviction_rate'
  | 'lmcache_cpu_evicted_key_rate'
  | 'lmcache_cpu_eviction_failure_rate'
  | 'lmcache_forced_unpin_rate'
  | 'lmcache_p2p_request_rate'
  | 'lmcache_p2p_token_rate'
  | 'lmcache_p2p_transfer_time'
  | 'lmcache_p2p_transfer_speed'
  | 'lmcache_request_lifespan'
  | 'lmcache_mp_lookup_token_rate'
  | 'lmcache_mp_lookup_hit_token_rate'
  | 'lmcache_mp_l1_hit_token_rate'
  | 'lmcache_mp_l2_hit_token_rate'
  | 'lmcache_mp_l2_hit_key_rate'
  | 'lmcache_mp_lookup_hit_rate'
  | 'lmcache_mp_l1_hit_rate'
  | 'lmcache_mp_l2_hit_rate'
  | 'lmcache_mp_l1_read_rate'
  | 'lmcache_mp_l1_write_rate'
  | 'lmcache_mp_l1_eviction_rate'
  | 'lmcache_mp_l1_used_bytes'
  | 'lmcache_mp_l1_usage'
  | 'lmcache_mp_l1_chunk_lifetime'
  | 'lmcache_mp_l1_chunk_idle_before_eviction'
  | 'lmcache_mp_l1_chunk_reuse_gap'
  | 'lmcache_mp_l1_chunk_evict_reuse_gap'
  | 'lmcache_mp_l2_store_submit_rate'
  | 'lmcache_mp_l2_store_complete_rate'
  | 'lmcache_mp_l2_store_submitted_chunk_rate'
  | 'lmcache_mp_l2_store_completed_chunk_rate'
  | 'lmcache_mp_l2_prefetch_lookup_rate'
  | 'lmcache_mp_l2_prefetched_chunk_rate'
  | 'lmcache_mp_l2_load_complete_rate'
  | 'lmcache_mp_prefetch_jobs'
  | 'lmcache_mp_l2_stores_inflight'
  | 'lmcache_mp_l2_loads_inflight'
  | 'lmcache_mp_l0_l1_store_throughput'
  | 'lmcache_mp_l0_l1_load_throughput'
  | 'lmcache_mp_l2_store_throughput'
  | 'lmcache_mp_l2_load_throughput'
  | 'lmcache_mp_transfer_byte_rate'
  | 'lmcache_mp_transfer_busy_time_rate'
  | 'lmcache_mp_transfer_bandwidth'
  | 'lmcache_mp_l1_allocation_failure_rate'
  | 'lmcache_mp_l1_read_failure_rate'
  | 'lmcache_mp_l2_prefetch_failure_rate'
  | 'gateway_request_rate'
  | 'gateway_success_ratio'
  | 'gateway_ttft'
  | 'gateway_itl'
  | 'gateway_request_duration'
  | 'gateway_output_token_rate'
  | 'gateway_input_length'
  | 'gateway_output_length'
  | 'gateway_cached_tokens'
  | 'gateway_inflight_requests'
  | 'gateway_queued_requests'
  | 'gateway_stage_requests'
  | 'gateway_disconnected_clients'
  | 'router_overhead'
  | 'router_block_hashing_time'
  | 'router_sequence_hashing_time'
  | 'router_index_lookup_time'
  | 'router_shared_cache_time'
  | 'router_scheduling_time'
  | 'router_queue_requests'
  | 'router_request_rate'
  | 'router_ttft'
  | 'router_itl'
  | 'router_predicted_hit_rate'
  | 'gpu_utilization'
  | 'gpu_engine_active'
  | 'gpu_sm_active'
  | 'gpu_sm_active_min'
  | 'gpu_sm_occupancy'
  | 'gpu_tensor_active'
  | 'gpu_dram_active'
  | 'gpu_memory_used'
  | 'gpu_memory_free'
  | 'gpu_memory_reserved'
  | 'gpu_memory_usage'
  | 'gpu_memory_controller_utilization'
  | 'gpu_pcie_transmit_bandwidth'
  | 'gpu_pcie_receive_bandwidth'
  | 'gpu_nvlink_transmit_bandwidth'
  | 'gpu_nvlink_receive_bandwidth'
  | 'gpu_pcie_transmit_byte_rate'
  | 'gpu_pcie_receive_byte_rate'
  | 'gpu_nvlink_transmit_byte_rate'
  | 'gpu_nvlink_receive_byte_rate'
  | 'gpu_sm_clock'
  | 'gpu_sm_clock_min'
  | 'gpu_memory_clock'
  | 'gpu_clock_event_reasons_raw'
  | 'gpu_power'
  | 'gpu_energy_rate'
  | 'gpu_energy'
  | 'gpu_last_xid_raw'
  | 'xid_error_rate'
  | 'xid_errors_in_window_raw'
  | 'gpu_pcie_replay_rate'
  | 'gpu_temperature'
  | 'gpu_memory_temperature'
  | 'gpu_power_violation_rate'
  | 'gpu_thermal_violation_rate'
  | 'gpu_sync_boost_violation_rate'
  | 'gpu_board_limit_violation_rate'
  | 'gpu_low_utilization_violation_rate'
  | 'gpu_reliability_violation_rate'
  | 'gpu_row_remap_failures'
  | 'gpu_uncorrectable_remapped_rows'
  | 'gpu_correctable_remapped_rows'
  | 'decode_tokens_per_gpu'
  | 'rdma_receive_byte_rate'
  | 'rdma_transmit_byte_rate'
  | 'rdma_link_capacity'
  | 'rdma_receive_link_share'
  | 'rdma_transmit_link_share'
  | 'rdma_receive_packet_rate'
  | 'rdma_transmit_packet_rate'
  | 'rdma_transmit_wait_rate'
  | 'rdma_cnp_sent_rate'
  | 'rdma_cnp_handled_rate'
  | 'rdma_ecn_marked_packet_rate'
  | 'rdma_adaptive_retransmit_rate'
  | 'rdma_adaptive_retransmit_timeout_rate'
  | 'rdma_duplicate_request_rate'
  | 'rdma_rnr_nak_rate'
  | 'rdma_ack_timeout_rate'
  | 'rdma_out_of_buffer_rate'
  | 'rdma_out_of_sequence_rate'
  | 'rdma_sequence_error_rate'
  | 'rdma_write_request_rate'
  | 'rdma_read_request_rate'
  | 'rdma_receive_error_rate'
  | 'rdma_transmit_discard_rate'
  | 'rdma_symbol_error_rate'
  | 'rdma_link_down_rate'
  | 'spec_acceptance_rate'
  | 'spec_acceptance_length'
  | 'spec_acceptance_rate_by_position'
  | 'spec_draft_token_rate'
  | 'spec_accepted_token_rate'
  | 'spec_draft_rate'
  | 'preemption_rate'
  | 'retraction_rate'
  | 'retracted_requests'
  | 'abort_rate'
  | 'request_error_rate'
  | 'bootstrap_failure_rate'
  | 'transfer_failure_rate'
  | 'engine_restarts'
  | 'request_success_ratio'
  | 'admission_rejection_rate'
  | 'preemptions_per_request'
  | 'retracted_input_token_rate'
  | 'retracted_output_token_rate'
  | 'prefill_retry_rate';

/** query.Filter */
export interface LabelFilter {
  label: string;
  op: FilterOp;
  values: string[];
}

/** query.Query */
export interface Query {
  schemaVersion: number;
  queryType: QueryType;
  signal?: string;
  stat?: Stat;
  quantile?: number;
  limit?: number;
  groupBy?: string[];
  filters?: LabelFilter[];
  system?: string;
  role?: Role;
  rateMode?: RateMode;
  window?: string;
  bytesPerRequest?: number | string;
  legend?: string;
  format?: Format;
  expr?: string;
  inventory?: Inventory;
}

/** notice.Notice */
export interface Notice {
  code: string;
  severity: Severity;
  text: string;
}

/** plugin.CompileCall */
export interface CompileRequest {
  query: Query;
  intervalMs: number;
  maxDataPoints: number;
  from: number;
  to: number;
}

/** plugin.Compiled */
export interface Compiled {
  promql: string[];
  legend: string;
  unit: string;
  window: string;
  explanation: string[];
  notices: Notice[];
}

/** plugin.ListedSignal */
export interface Signal {
  id: string;
  title: string;
  titleZh: string;
  noteZh: string;
  meaning: string;
  group: string;
  level: string;
  unit: string;
  kind: SignalKind;
  stats: Stat[];
  roles: Role[];
  labels: string[];
  systems: string[];
  caution: string;
  perRequestSize: boolean;
  available: boolean | null;
  reason: string;
}

/** plugin.CatalogBinding */
export interface Binding {
  signal: string;
  system: string;
  metrics: string[];
  role: Role | 'all';
}

/** plugin.Catalog */
export interface Catalog {
  signals: Signal[];
  systems: string[];
  bindings: Binding[];
  unseen: string;
}

/** plugin.LabelValues */
export interface LabelValues {
  values: string[];
}

/** plugin.Curve */
export interface Curve {
  signal: string;
  title: string;
  drawn: boolean;
  why?: string[];
}

/** plugin.HealthDetails */
export interface HealthDetails {
  message?: string;
  verboseMessage?: string;
  severity: Severity;
  server?: string;
  scrapeInterval?: string;
  systems?: string[];
  models?: string[];
  curves?: Curve[];
}

/** kvcache.Size */
export interface RequestSize {
  model: string;
  bytesPerRequest?: number;
  layers?: number;
  kvHeads?: number;
  headDim?: number;
  inputTokens?: number;
  kvDtype?: string;
  config?: Record<string, unknown>;
  preset?: string;
  prefixHitTokens?: number;
  blockSize?: number;
  attentionBlockSize?: number;
  engine?: string;
  connector?: string;
  tp?: number;
  prefillTP?: number;
  decodeTP?: number;
  prefillDP?: number;
  decodeDP?: number;
  pp?: number;
  copies?: number;
  allTokens?: boolean;
  draft?: boolean;
  stateDtype?: string;
  indexDtype?: string;
}

/** kvcache.Group */
export interface KVGroup {
  kind: LayerKind;
  layers: number;
  kvHeads?: number;
  keyDim?: number;
  valueDim?: number;
  window?: number;
  draft?: boolean;
  bytesPerToken: number;
  stateBytes?: number;
  tokens: number;
  copies: number;
  bytes: number;
  derivation: string;
}

/** plugin.KVBytes */
export interface KVBytes {
  bytesPerRequest: number;
  bytesPerToken: number;
  stateBytes: number;
  copies: number;
  tokens: number;
  groups: KVGroup[];
  notices: Notice[];
}

/** plugin.ListedPreset */
export interface Preset {
  name: string;
  model: string;
  source: string;
  date: string;
}

/** plugin.Presets */
export interface Presets {
  presets: Preset[];
}

/** plugin.MeasuredSize */
export interface MeasuredSize {
  system: string;
  bytesPerRequest: number;
  requests: number;
  window: string;
}

/** plugin.ModelSize */
export interface ServedModel {
  model: string;
  configuredBytes: number;
  derivation: string;
  preset: string;
  measured: MeasuredSize | null;
  inputTokens: number;
  ratio: number;
  meaning: string;
  severity: Severity;
}

/** plugin.ModelSizes */
export interface ServedModels {
  models: ServedModel[];
  notices: Notice[];
}

/** plugin.DiscoveredRole */
export interface DiscoveredRole {
  role: Role;
  count: number;
  instances: string[];
}

/** plugin.DiscoveredSystem */
export interface DiscoveredSystem {
  name: string;
  title: string;
  prefixes: string[];
  roleBy: RoleBy;
  roles: DiscoveredRole[];
  models: string[];
  dpRanks: number;
  tpRanks: number;
  scrapeInterval: string;
}

/** plugin.Matched */
export interface MatchedEngines {
  matchers: string;
  count: number;
  instances: string[];
  error: string;
}

/** plugin.Discovery */
export interface Discovery {
  server: string;
  scrapeInterval: string;
  systems: DiscoveredSystem[];
  engines: number;
  matchers: Record<string, MatchedEngines>;
}

/** settings.StoredRoles */
export interface RoleMatchers {
  prefill?: string;
  decode?: string;
  unified?: string;
}

/** settings.Stored */
export interface Settings {
  scrapeInterval?: string;
  rankStrategy?: RankStrategy;
  prefixes?: Record<string, string[]>;
  roles?: RoleMatchers;
  labels?: Record<string, string[]>;
  requestSizes?: RequestSize[];
  kvSource?: KVSource;
  customQueryParameters?: string;
  httpMethod?: HTTPMethod;
  forwardGrafanaId?: boolean;
  timeout?: number;
  seriesLimit?: number;
  catalog?: string;
  cache?: boolean;
  cacheSize?: number;
  concurrentQueries?: number;
  responseSize?: number;
}
