import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import { formatCount } from '../../formatBytes';
import * as texts from '../../texts';
import type { KVBytes, KVGroup } from '../../types';

const { table } = texts.sizes;

/** A column is there where any group has something to say in it. */
const COLUMNS: Array<{ title: string; cell: (group: KVGroup) => string }> = [
  { title: table.kvHeads, cell: ({ kvHeads }) => (kvHeads ? formatCount(kvHeads) : '') },
  { title: table.dims, cell: dims },
  { title: table.window, cell: ({ window }) => (window ? formatCount(window) : '') },
  { title: table.each, cell: bytesOfOne },
  { title: table.tokens, cell: ({ tokens }) => (tokens > 0 ? `× ${formatCount(tokens)}` : '') },
  { title: table.copies, cell: ({ copies, kind }) => (kind === 'none' ? '' : `× ${formatCount(copies)}`) },
  { title: table.bytes, cell: ({ bytes }) => formatCount(bytes) },
];

function dims({ kind, keyDim = 0, valueDim = 0 }: KVGroup): string {
  if (keyDim === 0) {
    return '';
  }
  return kind === 'mla' || kind === 'indexer'
    ? formatCount(keyDim)
    : `${formatCount(keyDim)} + ${formatCount(valueDim)}`;
}

function bytesOfOne({ bytesPerToken, stateBytes = 0 }: KVGroup): string {
  if (stateBytes > 0) {
    return formatCount(stateBytes);
  }
  return bytesPerToken > 0 ? `${formatCount(bytesPerToken)} ${table.perToken}` : '';
}

/** How the bytes of a request come about: one row for each group of like layers, its arithmetic below it. */
export function DerivationTable({ answer }: { answer: KVBytes }) {
  const styles = useStyles2(getStyles);
  const { groups } = answer;
  const columns = COLUMNS.filter(({ cell }) => groups.some((group) => cell(group) !== ''));
  if (groups.length === 0) {
    return null;
  }
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={table.caption}>
      <table className={styles.table}>
        <caption className={styles.caption}>{table.caption}</caption>
        <thead>
          <tr>
            <th scope="col">{table.layers}</th>
            {columns.map(({ title }) => (
              <th key={title} scope="col" className={styles.number}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        {groups.map((group, index) => (
          <tbody key={index}>
            <tr>
              <th scope="row">
                {formatCount(group.layers)} × {group.draft && `${texts.sizes.draftLayers}, `}
                {texts.sizes.layerKinds[group.kind] ?? group.kind}
              </th>
              {columns.map(({ title, cell }) => (
                <td key={title} className={styles.number}>
                  {cell(group)}
                </td>
              ))}
            </tr>
            <tr>
              <td colSpan={columns.length + 1} className={styles.derivation}>
                {group.derivation}
              </td>
            </tr>
          </tbody>
        ))}
        {groups.length > 1 && (
          <tfoot>
            <tr>
              <th scope="row" colSpan={columns.length}>
                {table.sum}
              </th>
              <td className={styles.number}>{formatCount(answer.bytesPerRequest)}</td>
            </tr>
          </tfoot>
        )}
      </table>
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  scroll: css({ overflowX: 'auto', maxWidth: '100%' }),
  caption: css({ captionSide: 'top', color: theme.colors.text.secondary, padding: theme.spacing(0.5, 0) }),
  table: css({
    fontSize: theme.typography.bodySmall.fontSize,
    fontVariantNumeric: 'tabular-nums',
    '& th, & td': { padding: theme.spacing(0.25, 2, 0.25, 0), verticalAlign: 'top' },
    '& th': { fontWeight: theme.typography.fontWeightMedium },
    '& tbody, & tfoot': { borderTop: `1px solid ${theme.colors.border.weak}` },
  }),
  number: css({ textAlign: 'right', whiteSpace: 'nowrap' }),
  derivation: css({ color: theme.colors.text.secondary }),
});
