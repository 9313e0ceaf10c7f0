import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import * as texts from '../../texts';
import type { DiscoveredSystem } from '../../types';
import { Names } from './Names';

const { found } = texts;

export function SystemsTable({ systems }: { systems: DiscoveredSystem[] }) {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={found.title}>
      <table className={styles.table}>
        <thead>
          <tr>
            {[found.system, found.prefixes, found.roles, found.models, found.ranks].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {systems.map((system) => (
            <tr key={system.name}>
              <th scope="row">{system.title}</th>
              <td>
                {system.prefixes.map((prefix) => (
                  <code key={prefix}>{prefix || found.noPrefix}</code>
                ))}
              </td>
              <td>
                <Roles system={system} />
              </td>
              <td>
                {system.models.map((model) => (
                  <div key={model} className={styles.model}>
                    {model}
                  </div>
                ))}
              </td>
              <td>{found.rankCounts(system)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Roles({ system: { roles, roleBy } }: { system: DiscoveredSystem }) {
  const styles = useStyles2(getStyles);
  if (roles.length === 0) {
    return <span className={styles.note}>{found.noEngines}</span>;
  }
  return (
    <>
      {roles.map(({ role, count, instances }) => (
        <div key={role}>
          {found.role(count, role)} <Names names={instances} count={count} />
        </div>
      ))}
      <div className={styles.note}>{found.roleBy[roleBy]}</div>
    </>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  scroll: css({ overflowX: 'auto', maxWidth: '100%' }),
  table: css({
    width: '100%',
    '& th, & td': { padding: theme.spacing(0.5, 2, 0.5, 0), verticalAlign: 'top', textAlign: 'left' },
    '& th': { fontWeight: theme.typography.fontWeightMedium },
    '& tbody tr': { borderTop: `1px solid ${theme.colors.border.weak}` },
  }),
  model: css({ overflowWrap: 'anywhere' }),
  note: css({ color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
});
