import type { SizeKind } from '../../requestSize';
import type { KVGroup, ServingField } from '../../types';

export const title = '单请求 KV 字节数';
export const help =
  '把 KV 字节/秒换算为 KV 请求/秒。模型名须与引擎所用完全一致，或在斜杠之间写正则，例如 /llama-3.*70b/；第一个匹配的条目生效。没有条目的模型没有数值，只有提示：绝不猜测。其余一切无需任何条目。';
export const add = '添加模型';
export const entry = (position: number, name: string) => `模型 ${position}${name && `：${name}`}`;
export const remove = (position: number) => `删除模型 ${position}`;

export const model = '模型';
export const modelPlaceholder = 'meta-llama/Llama-3.1-70B-Instruct';
export const modelCustom = '使用此名称或 /正则/';
export const modelNone = '服务器上没有发现模型，请输入名称。';
export const modelMissing = '请写模型名，或在斜杠之间写正则。';
export const modelDuplicate = '该模型已有条目，请删除其中一个。';
export const modelInvalid = '此正则无法编译，请检查括号和斜杠。';

export const kind = '大小来自';
export const kinds: Record<SizeKind, { label: string; description: string }> = {
  preset: { label: '已知模型', description: '此处已知其 config.json 的模型' },
  config: { label: 'config.json', description: '您自己模型的文件，粘贴或载入' },
  geometry: { label: '几何参数', description: '普通分组查询注意力的层数、头数与维度' },
  bytes: { label: '字节数', description: '已知或实测的数值' },
};

export const preset = '已知模型';
export const presetPlaceholder = '搜索：DeepSeek、Qwen3…';
export const presetRead = (source: string, date: string) => `字段取自 ${source}，读取于 ${date}。`;
export const presetsFailed = '已知模型列表加载失败；可直接输入名称。';

export const config = 'config.json';
export const configHelp = '与 Hugging Face 上的相同。随设置保存，只读取其中的尺寸。';
export const configPlaceholder = '{\n  "model_type": "llama",\n  "num_hidden_layers": 80,\n  …\n}';
export const configLoad = '载入文件';
export const configNotJSON = (reason: string) => `还不是 JSON：${reason}。请粘贴整个文件，包括花括号。`;
export const configNotObject = '是 JSON 但不是对象。请粘贴完整的 config.json，从 { 到 }。';
export const configTooLong = '超过 1 MiB，config.json 不会这么长。请选择模型的 config.json。';
export const configUnreadable = (reason: string) => `文件无法读取：${reason}。`;

export const geometryHelp =
  '名称与 config.json 相同；没有 head_dim 时取 hidden_size ÷ num_attention_heads。不要计入 D 端缓存中已有的 token。仅当每层都保存全部 token 的键与值时正确：MLA、滑动窗口与混合模型请用 config.json 或已知模型。';

export const serving = '部署方式';
export const servingSet = (fields: ServingField[], values: unknown[]) =>
  fields.map((field, at) => `${fieldTexts[field].label}：${valueText(values[at])}`).join('，');
export const byDefault = '默认';
export const switches = { default: '默认', on: '是', off: '否' };
function valueText(value: unknown): string {
  return typeof value === 'boolean' ? (value ? switches.on : switches.off) : String(value);
}

export const fieldTexts: Record<ServingField, { label: string; help?: string; placeholder?: string }> = {
  bytesPerRequest: { label: '单请求字节数', placeholder: '2684354560' },
  layers: { label: '层数', help: 'num_hidden_layers', placeholder: '80' },
  kvHeads: { label: 'KV 头数', help: 'num_key_value_heads', placeholder: '8' },
  headDim: { label: '头维度', help: 'head_dim', placeholder: '128' },
  inputTokens: { label: '输入 token 数', help: '典型提示长度', placeholder: '8192' },
  kvDtype: { label: 'KV 数据类型', help: '--kv-cache-dtype', placeholder: 'auto' },
  engine: { label: '引擎', help: '其块与窗口', placeholder: '普通公式' },
  connector: { label: '连接器', help: '由谁传输缓存', placeholder: '随引擎' },
  prefillTP: { label: '预填充 TP', help: '张量并行大小', placeholder: '1' },
  decodeTP: { label: '解码 TP', help: '张量并行大小', placeholder: '1' },
  tp: { label: '两端 TP', help: '代替各自填写', placeholder: '1' },
  copies: { label: '副本数', help: '线上实际份数，代替由 TP 推算', placeholder: '由 TP 推算' },
  prefixHitTokens: { label: '前缀命中', help: 'D 端已有的 token 数', placeholder: '0' },
  blockSize: { label: '块大小', help: '每块或每页的 token 数', placeholder: '随引擎' },
  attentionBlockSize: { label: '注意力块大小', help: '混合模型用，见 vLLM 日志', placeholder: '自动计算' },
  prefillDP: { label: '预填充 DP 注意力', help: 'SGLang：除以 TP', placeholder: '1' },
  decodeDP: { label: '解码 DP 注意力', help: 'SGLang：除以 TP', placeholder: '1' },
  pp: { label: '流水线级数', help: '不影响总和', placeholder: '1' },
  allTokens: { label: '窗口层发送全部 token', help: 'vLLM：关闭混合分配器' },
  draft: { label: '预填充运行草稿层', help: '检查点中的 MTP 或 EAGLE' },
  stateDtype: { label: '状态数据类型', help: '线性层用', placeholder: '随模型族' },
  indexDtype: { label: '索引键数据类型', help: '稀疏注意力用', placeholder: '随模型族' },
};

export const result = '单请求 KV 字节数';
export const resultMissing = (fields: string[]) => `填写以下各项即可看到字节数：${fields.join('、')}。`;
export const resultInvalid = '请更正标出的字段。';
export const resultLoading = '正在计算…';
export const resultRefused = '无法给出字节数';
export const resultUnreachable = (reason: string) =>
  `字节数由插件后端计算，后端没有响应（${reason}）。新建的数据源请先保存。`;
export const perToken = (bytes: string) => `每个 token ${bytes}`;
export const ofState = (bytes: string) => `状态 ${bytes}`;
export const tokens = (count: string) => `${count} token`;
export const copies = (count: number) => `${count} 份`;
export const notices = '所作假设';

export const table = {
  caption: '字节数如何得出',
  layers: '层数',
  kvHeads: 'KV 头数',
  dims: '键 + 值',
  window: '窗口',
  each: '每层字节数',
  perToken: '/token',
  tokens: 'Token',
  copies: '份数',
  bytes: '字节数',
  sum: '合计',
};
export const layerKinds: Record<KVGroup['kind'], string> = {
  full: '全注意力',
  sliding: '滑动窗口',
  chunked: '分块',
  mla: 'MLA 潜变量',
  indexer: '索引键',
  linear: '线性，固定状态',
  none: '自身无缓存',
};
export const draftLayers = '草稿';
