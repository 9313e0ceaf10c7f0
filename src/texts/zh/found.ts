import type { DiscoveredSystem } from '../../types';

export const title = '发现的内容';
export const help = '取自上次保存的服务器：“Save & test”会重新查看。';
export const noURL = '请先填写上面的 URL，再点“Save & test”：随后这里会列出系统、角色、模型和 rank。';
export const refresh = '重新查看';
export const loading = '正在查看服务器…';
export const failed = '暂时无法查找';
export const unreachable = (reason: string) => `插件后端没有响应（${reason}）。新建的数据源请先保存。`;
export const empty =
  '服务器有响应，但没有任何已知系统的指标。请检查它是否抓取引擎（SGLang 需要 --enable-metrics）；若指标改了名，请在下方设置前缀。';

export const server = (name: string, engines: number, interval: string) =>
  `${name}，${engines} 个引擎，${interval ? `每 ${interval} 抓取一次` : '抓取间隔未知'}`;

export const system = '系统';
export const prefixes = '前缀';
export const roles = '引擎';
export const models = '模型';
export const ranks = 'Rank';
export const noPrefix = '无';
export const noEngines = '没有自己的引擎';
export const role = (count: number, name: string) => `${count} 个${name || '无角色'}`;
export const more = (count: number) => `… 另有 ${count} 个`;
export const rankCounts = ({ dpRanks, tpRanks }: DiscoveredSystem) =>
  [dpRanks > 0 && `DP ${dpRanks}`, tpRanks > 0 && `TP ${tpRanks}`].filter(Boolean).join('，');
export const roleBy: Record<DiscoveredSystem['roleBy'], string> = {
  label: '由自身标签',
  matchers: '由下方匹配条件',
  nothing: '',
};

export const matching = (count: number, engines: number) => `匹配 ${engines} 个引擎中的 ${count} 个`;
export const matchingNone = (engines: number) =>
  engines === 0 ? '没有发现可供核对的引擎。' : `${engines} 个引擎中没有一个匹配。`;
export const matchersUnused = (titles: string[]) => `${titles.join('、')} 用自身标签说明角色，优先于这些匹配条件。`;
