export const title = '此服务器上发现的模型';
export const help = '连同上次保存的大小，以及引擎实际传输的大小。';
export const noURL = '保存 URL 之后，这里会列出该服务器上的模型。';
export const refresh = '刷新';
export const loading = '正在查看服务器…';
export const empty = '没有发现模型。引擎运行后才会给出名字：请用“Save & test”检查服务器是否抓取它们。';
export const unreachable = (reason: string) => `模型由插件后端查找，后端没有响应（${reason}）。新建的数据源请先保存。`;
export const failed = '无法查找模型';

export const model = '模型';
export const configured = '已设置';
export const measured = '实测';
export const ratio = '实测 ÷ 设置';
export const actions = '操作';

export const noSize = '尚无条目';
export const nothingMeasured = '没有实测值';
export const basis = (requests: string, window: string, system: string) => `${window} 内 ${requests} 个请求，${system}`;
export const inputTokens = (tokens: string) => `提示长度 ${tokens} token`;
export const add = '添加';
export const addLabel = (name: string) => `添加 ${name}`;
export const addPreset = (preset: string) => `按预设 ${preset} 添加`;
export const addPresetLabel = (name: string, preset: string) => `按预设 ${preset} 添加 ${name}`;
export const presetHelp = '由名称推测，请确认确实是这个模型。';
export const useMeasured = '采用实测值';
export const useMeasuredLabel = (name: string) => `采用实测值：${name}`;
export const freezing =
  '“采用实测值”会把今天的值固定下来。模型、提示长度、KV 数据类型、TP 或引擎版本改变后请重新核对。';
