import type { DiscoveredSystem } from '../types';

/** Texts of what was discovered on the server. */

export const title = 'What was found';
export const help = 'On the server as it was last saved: “Save & test” looks again.';
export const noURL =
  'Give the URL above, then “Save & test”: this section then shows the systems, roles, models and ranks.';
export const refresh = 'Look again';
export const loading = 'Looking at the server…';
export const failed = 'Nothing can be found yet';
export const unreachable = (reason: string) =>
  `The plugin’s back end does not answer (${reason}). Where this data source is new, save it first.`;
export const empty =
  'The server answers but holds no metric of a known system. Check that it scrapes the engines (SGLang needs --enable-metrics) and, where metrics were renamed, set their prefixes below.';

export const server = (name: string, engines: number, interval: string) =>
  [
    `${name} with ${engines === 1 ? '1 engine' : `${engines} engines`}`,
    interval ? `scraped every ${interval}` : 'scrape interval not known yet',
  ].join(', ');

export const system = 'System';
export const prefixes = 'Prefix';
export const roles = 'Engines';
export const models = 'Models';
export const ranks = 'Ranks';
export const noPrefix = 'none';
export const noEngines = 'no engines of its own';
export const role = (count: number, name: string) => `${count} ${name || 'without a role'}`;
export const more = (count: number) => `… and ${count} more`;
export const rankCounts = ({ dpRanks, tpRanks }: DiscoveredSystem) =>
  [dpRanks > 0 && `DP ${dpRanks}`, tpRanks > 0 && `TP ${tpRanks}`].filter(Boolean).join(', ');
export const roleBy: Record<DiscoveredSystem['roleBy'], string> = {
  label: 'by its own label',
  matchers: 'by the matchers below',
  nothing: '',
};

export const matching = (count: number, engines: number) => `Fits ${count} of ${engines} engines`;
export const matchingNone = (engines: number) =>
  engines === 0 ? 'No engine was found to hold it against.' : `Fits none of ${engines} engines.`;
export const matchersUnused = (titles: string[]) =>
  `${titles.join(' and ')} ${titles.length === 1 ? 'tells' : 'tell'} the role by a label of its own, which wins over these matchers.`;
