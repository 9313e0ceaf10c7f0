import type {
  FilterOp,
  Format,
  Group,
  KVSource,
  Level,
  RankStrategy,
  RateMode,
  Role,
  SignalKind,
  Stat,
} from '../../types';
import { systems as names } from '../terms';

export const units: Record<string, string> = {
  s: '秒',
  reqps: '请求/秒',
  pps: '包/秒',
  Bps: '字节/秒',
  bytes: '字节',
  percentunit: '比例',
  short: '个数',
  none: '个数',
};

export const stats: Record<Stat, { label: string; description: string }> = {
  '': { label: '数值', description: '信号本身' },
  quantile: { label: '分位数', description: '由所有实例合并后的桶计算' },
  mean: { label: '均值', description: '窗口内总和除以次数' },
  rate: { label: '速率', description: '每秒观测次数' },
  under: { label: '不超过上限的比例', description: '不超过上限的观测所占比例；上限须恰为某个桶的边界' },
  heatmap: { label: '热力图', description: '每个桶每秒的观测次数，用于热力图面板' },
  skew: { label: '倾斜度', description: '各引擎与数据并行 rank 的最大值除以均值：1 表示均衡' },
};

export const kinds: Record<SignalKind, string> = {
  rate: '计数器的速率',
  total: '累计计数器',
  gauge: '仪表值，原样显示',
  distribution: '直方图',
  ratio: '两个速率之比',
  restart: '重启后为 1，否则为 0',
};

export const levels: Record<string, string> = {
  request: '请求',
  operation: '操作',
  batch: '批次',
  server: '服务',
  device: '设备',
} satisfies Record<Level, string>;

export const groups: Record<string, string> = {
  Throughput: '吞吐',
  Latency: '时延',
  Queues: '队列',
  'KV cache': 'KV 缓存',
  'PD transfer': 'PD 传输',
  'Cache tiers': '多级缓存',
  Gateway: '网关',
  GPU: 'GPU',
  Network: '网络',
  'Speculative decoding': '投机解码',
  Errors: '错误',
} satisfies Record<Group, string>;

export const roles: Record<string, { label: string; description: string }> = {
  '': { label: '自动', description: '该信号对应的角色' },
  prefill: { label: '预填充', description: '仅预填充实例' },
  decode: { label: '解码', description: '仅解码实例' },
  unified: { label: '合并部署', description: '两者都做的实例' },
} satisfies Record<Role, { label: string; description: string }>;

export const systems: Record<string, string> = { ...names, auto: '自动' };

export const rateModes: Record<RateMode, { label: string; description: string }> = {
  auto: { label: '自动', description: '放大时取相邻采样，缩小时取窗口' },
  adjacent: { label: '相邻采样', description: '相邻两次采样之间：每次抓取都画出' },
  window: { label: '窗口', description: '窗口内平均：点与点之间不丢数据' },
};

export const formats: Record<Format, string> = { time_series: '时间序列', table: '表格' };

export const filterOps: Record<FilterOp, string> = {
  '=': '等于',
  '!=': '不等于',
  '=~': '匹配正则',
  '!~': '不匹配正则',
};

export const rankStrategies: Record<RankStrategy, { label: string; description: string }> = {
  auto: { label: '自动', description: '按指标处理：引擎在各 rank 上是重复还是分担，已知' },
  collapse: { label: '折叠', description: '张量并行 rank 重复的值只留一份' },
  rank0: { label: 'Rank 0', description: '只读张量并行 rank 0；启用数据并行注意力时不正确' },
  sum: { label: '求和', description: '所有 rank 相加：仅当每个 rank 只报告自己的部分' },
};

export const kvSources: Record<KVSource, { label: string; description: string }> = {
  auto: { label: '自动', description: '取第一个已导出的来源，并在提示中说明' },
  flagcx: { label: 'FlagCX', description: 'FlagCX 连接器统计的字节数' },
  nixl: { label: 'NIXL', description: 'vLLM 的 NIXL 连接器统计的字节数' },
  sglang: { label: 'SGLang', description: 'SGLang 自身统计的兆字节数' },
  mooncake: { label: 'Mooncake', description: 'Mooncake 传输引擎统计的字节数' },
};
