import { templates } from '../runtime/templates';
import type { DashboardHit, DashboardLink } from './model';

export interface Link {
  title: string;
  href: string;
  isExternal: boolean;
}

interface Context {
  dashboards: DashboardHit[];
  /** from, to and refresh as they are in the address. */
  time: URLSearchParams;
  variables: URLSearchParams;
}

function withParams(url: string, ...parts: URLSearchParams[]): string {
  const extra = parts.map(String).filter(Boolean).join('&');
  return extra ? `${url}${url.includes('?') ? '&' : '?'}${extra}` : url;
}

/** Links of a dashboard or a panel, with time and variables kept where they ask for it. */
export function resolveLinks(links: DashboardLink[] = [], { dashboards, time, variables }: Context): Link[] {
  return links.flatMap((link) => {
    const targets =
      link.type === 'dashboards'
        ? dashboards.filter(({ tags }) => (link.tags ?? []).every((tag) => tags.includes(tag)))
        : [{ title: link.title ?? '', url: link.url ?? '' }];
    return targets
      .filter(({ url }) => url !== '')
      .map(({ title, url }) => {
        // In Grafana these two names stand for what the check boxes beside a link do.
        const plain = url
          .replace(/\$\{__url_time_range\}|\$__url_time_range\b/g, () => time.toString())
          .replace(/\$\{__all_variables\}|\$__all_variables\b/g, () => variables.toString());
        const href = withParams(
          templates.replace(plain, undefined, 'percentencode'),
          ...(link.keepTime ? [time] : []),
          ...(link.includeVars ? [variables] : [])
        );
        return {
          title: templates.replace(title),
          href,
          isExternal: Boolean(link.targetBlank) || /^https?:/.test(href),
        };
      });
  });
}
