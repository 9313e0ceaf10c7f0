export const mode = '查询方式';
export const modes = { signal: '信号', promql: 'PromQL' };

export const inventory = (of: string) =>
  of === 'systems' ? '列出服务器上的系统及其引擎。' : '列出服务器上每个系统的信号，以及其他信号缺失的原因。';

export const signal = '信号';
export const signalPlaceholder = '搜索：ttft、队列、KV…';
export const signalNone = '没有匹配的信号。换个词试试，例如：队列、TTFT、缓存。';
export const signalCount = (count: number) => `${count} 个信号`;
export const signalLoading = '正在加载信号…';
export const signalClear = '任意信号';
export const unavailable = (reason?: string) => (reason ? `此处未导出：${reason}` : '此处未导出');
export const perLevel = (level: string) => `按${level}`;
export const notInCatalog = (id: string) => `此数据源没有信号“${id}”，请另选一个。`;
export const catalogFailed = '信号列表加载失败';
export const catalogFailedHelp = '请在此数据源的设置页检查连接。';
export const retry = '重试';
export const caution = '注意';

export const nothingKnown = '无法查看服务器，不知道它有哪些信号';
export const nothingFound = '此服务器上没有发现任何引擎';
export const nothingFoundHelp =
  '所有信号都未导出：服务器没有抓取 vLLM、SGLang 或连接器，SGLang 未带 --enable-metrics 启动，或代理改了指标名。设置页的“Save & test”会说明查找了什么。';
export const openSettings = '打开设置';

export const stat = '统计量';
export const statHelp = '可输入任意分位数，例如 99.9，或从列表选择。';
export const statCustom = '作为分位数';
export const quantileInvalid = '请输入 0 到 1 之间的数，例如 0.995，或百分位，例如 P99.5。';
export const limit = '上限';
export const limitHelp = '须恰为直方图某个桶的边界，例如 0.5。';
export const limitInvalid = '请输入大于 0 的数';

export const role = '角色';
export const system = '系统';
export const systemHelp = '由谁导出该指标。“自动”会自行查找，新指标名优先。';
export const groupBy = '分组';
export const groupByHelp = '每种组合一条曲线。不选：合计为一条。';
export const groupByPlaceholder = '仅合计';

export const groupByNotApplied = (labels: string[]) =>
  `仪表板按 ${labels.join('、')} 分组，但对此查询不起作用：请写进 PromQL。`;

export const filters = '过滤';
export const filterAdd = '添加过滤条件';
export const filterRemove = (position: number) => `删除过滤条件 ${position}`;
export const filterLabel = (position: number) => `过滤条件 ${position} 的标签`;
export const filterOp = (position: number) => `过滤条件 ${position} 的运算符`;
export const filterValues = (position: number) => `过滤条件 ${position} 的值`;
export const filterLabelPlaceholder = '标签';
export const filterValuesPlaceholder = '值';
export const filterIncomplete = '填好标签和值后生效。';
export const emptyValue = '（空）';
export const variables = '变量';

export const legend = '图例';
export const legendHelp = '双花括号中写标签，例如 {{model}}。留空：按分组生成。';
export const legendPlaceholder = '{{model}}';
export const legendLabels = '把标签放进图例';
export const format = '格式';

export const options = '速率与窗口';
export const optionsWithBytes = '速率、窗口与 KV 字节数';
export const rateMode = '速率';
export const window = '窗口';
export const windowHelp = '计算速率的时间范围，例如 30s 或 1m。留空：由步长和抓取间隔决定。';
export const windowPlaceholder = '自动';
export const windowInvalid = '请写时长，例如 30s 或 1m30s。';
export const bytesPerRequest = '单请求 KV 字节数';
export const bytesPerRequestHelp = '仅用于此查询，代替设置中的大小；用仪表板变量可做假设分析。留空：按各模型的设置。';
export const bytesPerRequestPlaceholder = '按设置';

export const promql = 'PromQL';
export const promqlHelp = '离开输入框或按 Ctrl+Enter（⌘+Enter）时运行。';
export const promqlPlaceholder = 'sum by (model_name) (rate(vllm:request_success_total[$__rate_interval]))';
export const promqlFromSignal = (signal: string) =>
  `由“${signal}”生成，其设置已保留：点“信号”即可返回。在您修改此处文本之前，它随设置变化。`;
export const promqlFirstOf = (count: number) =>
  `该信号有 ${count} 个表达式，PromQL 查询只运行一个：已取第一个。其余可在信号方式下查看。`;

export const translate = () => '读取相同指标的信号：';
export const translateTo = (signal: string) => `改用信号“${signal}”`;
export const translateHelp = '沿用信号支持的分组和过滤条件。信号按自己的方式计算，请比较数值。点“PromQL”可返回此文本。';

export const alertVariables = '此查询用了仪表板变量，告警规则中没有变量。请直接写出取值。';
export const alertHeatmap = '热力图没有可用于告警的单一数值。请选择分位数、均值或不超过上限的比例。';
