import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Alert, useStyles2 } from '@grafana/ui';
import React from 'react';

import { formatBytes, formatCount } from '../../formatBytes';
import * as texts from '../../texts';
import type { KVBytes, Notice } from '../../types';
import { Notices } from '../Notices';
import { DerivationTable } from './DerivationTable';

interface Props {
  answer?: KVBytes;
  /** Those of the answer that are not shown beside a field. */
  notices: Notice[];
  loading: boolean;
  /** In place of a number: what is still to be filled in. */
  waiting?: string;
  /** Why there is no number, as far as no field shows it. */
  refused?: string;
  unreachable?: string;
}

/** What the server makes of a size while it is edited. */
export function SizeResult({ answer, notices, loading, waiting, refused, unreachable }: Props) {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.result}>
      <div role="status" aria-busy={loading} className={styles.status}>
        <span>{`${texts.sizes.result}: `}</span>
        {answer ? (
          <>
            <strong>{formatBytes(answer.bytesPerRequest)}</strong>
            <span className={styles.facts}>{factsOf(answer).join(' · ')}</span>
          </>
        ) : (
          <span className={styles.facts}>{waiting ?? (loading ? texts.sizes.resultLoading : '–')}</span>
        )}
      </div>
      {refused !== undefined && (
        <Alert severity="error" title={texts.sizes.resultRefused} className={styles.alert}>
          <div className={styles.lines}>{refused}</div>
        </Alert>
      )}
      {unreachable !== undefined && (
        <Alert severity="info" title={texts.sizes.resultUnreachable(unreachable)} className={styles.alert} />
      )}
      {answer && <DerivationTable answer={answer} />}
      <Notices notices={notices} />
    </div>
  );
}

function factsOf({ groups, bytesPerToken, stateBytes, tokens, copies }: KVBytes): string[] {
  if (groups.length === 0) {
    return [];
  }
  return [
    ...(bytesPerToken > 0 ? [texts.sizes.perToken(`${formatCount(bytesPerToken)} B`)] : []),
    ...(stateBytes > 0 ? [texts.sizes.ofState(formatBytes(stateBytes))] : []),
    texts.sizes.tokens(formatCount(tokens)),
    texts.sizes.copies(copies),
  ];
}

const getStyles = (theme: GrafanaTheme2) => ({
  result: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(1), minWidth: 0 }),
  status: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(1), alignItems: 'baseline' }),
  facts: css({ color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
  alert: css({ margin: 0 }),
  lines: css({ whiteSpace: 'pre-line' }),
});
