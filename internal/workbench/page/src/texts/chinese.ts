export const app = {
  title: 'PD Monitor',
  workbench: '工作台',
  tabs: { dashboards: '仪表板', query: '查询', settings: '设置' },
  toLight: '浅色主题',
  toDark: '深色主题',
  otherLanguage: 'English',
  startFailed: '工作台无法启动',
  crashed: '页面的这一部分出错了',
  loading: '正在加载…',
  lost: '此地址没有内容。',
  toOverview: '前往仪表板',
  skip: '跳到正文',
};

export const time = {
  refresh: '刷新',
  refreshEvery: '立即刷新，或选择刷新间隔',
};

export const dashboard = {
  choose: '仪表板',
  all: '全部',
  loadFailed: '仪表板加载失败',
  variableFailed: (name: string) => `${name} 的取值加载失败`,
  none: '此程序不含任何仪表板。',
};

export const panel = {
  noData: '无数据',
  failed: '查询失败',
  unsupported: (type: string) => `工作台不绘制“${type}”类型的面板，Grafana 可以。`,
  buckets: '各桶的观测数',
};

export const query = {
  title: '查询',
  run: '运行查询',
  add: '添加查询',
  remove: (refId: string) => `删除查询 ${refId}`,
  duplicate: (refId: string) => `复制查询 ${refId}`,
  hide: (refId: string) => `隐藏查询 ${refId} 的结果`,
  show: (refId: string) => `显示查询 ${refId} 的结果`,
  row: (refId: string) => `查询 ${refId}`,
  examples: '示例',
  result: '结果',
  graph: '图',
  table: '表',
  showAs: '显示方式',
  executed: '执行的 PromQL',
  notices: '提示',
  nothing: '选择一个信号即可看到曲线。',
};

export const settings = {
  title: '设置',
  inMemory: '修改在 pdmonitor 结束前有效，不写入任何文件。',
  save: 'Save & test',
  saving: '正在测试…',
  loadFailed: '设置加载失败',
  saveFailed: '设置保存失败',
  next: '接下来：',
  nextDashboards: '查看仪表板',
  nextOr: ' 或 ',
  nextQuery: '提出查询',
};

export const severities = { info: '说明', warning: '警告', error: '错误' };
