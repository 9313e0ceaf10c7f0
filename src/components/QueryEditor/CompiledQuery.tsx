import { css } from '@emotion/css';
import type { GrafanaTheme2, TimeRange } from '@grafana/data';
import { EditorRow } from '@grafana/plugin-ui';
import { ClipboardButton, Spinner, useStyles2 } from '@grafana/ui';
import React from 'react';

import type { CompiledState } from '../../hooks/useCompiled';
import { unitName } from '../../names';
import * as texts from '../../texts';
import type { Notice, QueryType } from '../../types';
import { Fold } from '../Fold';
import { Notices } from '../Notices';
import { ExploreLink } from './ExploreLink';
import { Promql } from './Promql';

interface Props {
  state: CompiledState;
  queryType: QueryType;
  range?: TimeRange;
  /** What the editor itself has to say of the query. */
  remarks?: Notice[];
}

/** What the server makes of the query: for reading and copying, never for editing. */
export function CompiledQuery({ state, queryType, range, remarks = [] }: Props) {
  const styles = useStyles2(getStyles);
  const { compiled, error, loading } = state;
  const expressions = compiled?.promql ?? [];
  const notices: Notice[] = [
    ...remarks,
    ...(error === undefined ? [] : [{ severity: 'error' as const, text: `${texts.compiled.failed}: ${error}` }]),
    ...(compiled?.notices ?? []),
  ];
  const facts = [
    compiled?.window && texts.compiled.window(compiled.window),
    compiled?.unit && texts.compiled.unit(unitName(compiled.unit)),
  ].filter(Boolean);

  return (
    <EditorRow>
      <div role="group" className={styles.root} aria-label={texts.compiled.title} aria-busy={loading}>
        <div className={styles.head}>
          <span className={styles.title}>{texts.compiled.title}</span>
          <span className={styles.facts}>{facts.join(' · ')}</span>
          {loading && <Spinner inline size="sm" aria-label={texts.compiled.loading} />}
          <span className={styles.end}>
            <ExploreLink promql={expressions} range={range} />
          </span>
        </div>
        {expressions.map((expression, index) => (
          <div key={index} className={styles.expression}>
            <Promql expression={expression} />
            <ClipboardButton
              size="sm"
              variant="secondary"
              icon="copy"
              aria-label={texts.compiled.copyLabel(index + 1, expressions.length)}
              getText={() => expression}
            >
              {texts.compiled.copy}
            </ClipboardButton>
          </div>
        ))}
        {expressions.length === 0 && notices.length === 0 && (
          <div className={styles.facts}>{loading ? texts.compiled.loading : texts.compiled.empty[queryType]}</div>
        )}
        <Notices notices={notices} />
        {compiled && compiled.explanation.length > 0 && (
          <Fold label={texts.compiled.explanation}>
            <ul className={styles.list}>
              {compiled.explanation.map((line, index) => (
                <li key={index}>{line}</li>
              ))}
            </ul>
          </Fold>
        )}
      </div>
    </EditorRow>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  root: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(0.5), minWidth: 0, flexGrow: 1 }),
  head: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'center', minHeight: theme.spacing(2.5) }),
  title: css({ fontSize: theme.typography.bodySmall.fontSize, fontWeight: theme.typography.fontWeightMedium }),
  facts: css({ fontSize: theme.typography.bodySmall.fontSize, color: theme.colors.text.secondary }),
  expression: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'flex-start', minWidth: 0 }),
  list: css({ margin: theme.spacing(0.5, 0, 0.5, 3) }),
  end: css({ marginLeft: 'auto' }),
});
