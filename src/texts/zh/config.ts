export const name = 'PD Monitor';
export const urlLabel = 'Prometheus 服务器地址';
export const urlPlaceholder = 'http://localhost:9090';
export const urlHelp = '任何提供 Prometheus HTTP API 的服务器：Prometheus、Thanos、Mimir、VictoriaMetrics。';

export const advanced = '其他设置';
export const advancedHelp = '均有可用的默认值。';

export const queries = '查询';
export const scrapeInterval = '抓取间隔';
export const scrapeIntervalHelp = '抓取引擎的间隔。速率需要它：一个窗口至少含两个采样。留空：自动检测。';
export const scrapeIntervalPlaceholder = '自动检测';
export const durationInvalid = '请写时长，例如 1s、500ms 或 1m30s。';
export const httpMethod = 'HTTP 方法';
export const httpMethodHelp = 'POST 允许很长的查询。仅当代理拒绝 POST 时选 GET。';
export const seriesLimit = '序列上限';
export const seriesLimitHelp = '一个查询最多返回的序列数。0：不限。';
export const seriesLimitPlaceholder = '1000';
export const seriesLimitInvalid = '请输入不小于 0 的整数。';
export const customQueryParameters = '自定义查询参数';
export const customQueryParametersHelp = '附加到每个请求，写法同 URL：max_source_resolution=5m&timeout=10s';
export const customQueryParametersPlaceholder = 'max_source_resolution=5m';
export const customQueryParametersInvalid = '请写 name=value，用 & 连接，前面不加 ?。';

export const roles = '角色';
export const rolesHelp = '引擎自身不说明角色时，用这些匹配条件区分预填充与解码实例。任何标签均可：instance、pod、job。';
export const prefill = '预填充匹配条件';
export const decode = '解码匹配条件';
export const matcherInvalid = '请写标签匹配条件，例如 job="prefill" 或 pod=~"prefill-.*"，用逗号连接。';

export const engines = '引擎';
export const rankStrategy = 'Rank 策略';
export const rankStrategyHelp = '同一引擎各 rank 的序列如何合为一条。';
export const kvSource = 'KV 字节来源';
export const kvSourceHelp = '读取哪个传输字节计数器。不同来源从不相加。';

export const prefixes = '指标前缀';
export const prefixesHelp = '仅用于途中改过名的指标。多个前缀按优先顺序用逗号连接。没有前缀的名字写 none。';
export const prefixesLabel = (system: string) => `${system} 的前缀`;
export const prefixesPlaceholder = '自动检测';
export const prefixesInvalid = '请写指标名前缀，例如 vllm: 或 ray_vllm_，用逗号连接，或写 none。';

export const numberMissing = '请输入不小于 1 的整数。';
export const numberNotANumber = '这不是数字。只能输入数字，例如 8192。';
export const numberNotPositive = '须不小于 1。请输入正整数。';
export const numberNotWhole = '须为整数。请去掉小数部分。';
export const numberTooLarge = '超过 2^53（9007199254740992），会丢失精度。请输入较小的数。';
