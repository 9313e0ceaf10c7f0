export const label = '取值来自';
export const labelHelp = '模型、实例、引擎、角色、系统、设备，或您输入的任何其他标签。';
export const labels: Record<string, string> = {
  model: '模型',
  instance: '实例',
  engine: '引擎',
  role: '角色',
  system: '系统',
  device: '设备',
  gpu: 'GPU',
};
export const labelCustom = '此标签的取值';
export const signal = '信号';
export const signalHelp = '仅该信号具有的取值。留空：任意。';
export const role = '角色';
export const system = '系统';
export const any = '任意';
export const preview = '当前取值';
export const previewNone = '没有取值。请放宽过滤条件，或检查引擎是否被抓取。';
export const previewFailed = '取值加载失败';
export const previewLoading = '正在加载取值…';
export const previewMore = (count: number) => `另有 ${count} 个`;
