import type { QueryType } from '../../types';

export const title = '编译后的 PromQL';
export const copy = '复制';
export const copyLabel = (position: number, count: number) => (count > 1 ? `复制 PromQL ${position}` : '复制 PromQL');
export const loading = '正在编译…';
export const empty: Record<QueryType, string> = {
  signal: '选择一个信号即可看到它的 PromQL。',
  promql: '写 PromQL 即可看到实际发送的内容。',
  inventory: '清单没有 PromQL。',
};
export const explore = '在 Explore 中打开';
export const failed = '此查询无法编译';
export const explanation = '计算方法';
export const window = (range: string) => `窗口 ${range}`;
export const unit = (name: string) => `单位：${name}`;
export const severity = { info: '提示', warning: '警告', error: '错误' };
