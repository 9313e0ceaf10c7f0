import { readdirSync, readFileSync } from 'node:fs';

interface Dashboard {
  uid: string;
  title: string;
}

/** Those that the plugin ships. */
export const dashboards = readdirSync('dashboards')
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(`dashboards/${name}`, 'utf8')) as Dashboard);
