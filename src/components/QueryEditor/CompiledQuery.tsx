import { css } from '@emotion/css';
import type { DataQueryRequest, GrafanaTheme2, TimeRange } from '@grafana/data';
import { EditorRow } from '@grafana/plugin-ui';
import { ClipboardButton, Spinner, useStyles2 } from '@grafana/ui';
import React, { Fragment } from 'react';

import type { DataSource } from '../../datasource';
import { useCompiled } from '../../hooks/useCompiled';
import * as texts from '../../texts';
import type { Notice, PDQuery } from '../../types';
import { Fold } from '../Fold';
import { Notices } from '../Notices';
import { ExploreLink } from './ExploreLink';

interface Props {
  datasource: DataSource;
  query: PDQuery;
  range?: TimeRange;
  request?: DataQueryRequest;
}

/** What the server makes of the query: for reading and copying, never for editing. */
export function CompiledQuery({ datasource, query, range, request }: Props) {
  const styles = useStyles2(getStyles);
  const { compiled, error, loading } = useCompiled(datasource, query, range, request);
  const expressions = compiled?.promql ?? [];
  const notices: Notice[] = [
    ...(error === undefined ? [] : [{ severity: 'error' as const, text: `${texts.compiled.failed}: ${error}` }]),
    ...(compiled?.notices ?? []),
  ];
  const facts = [
    compiled?.window && texts.compiled.window(compiled.window),
    compiled?.unit && texts.compiled.unit(compiled.unit),
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
            <pre className={styles.code}>{breakable(expression)}</pre>
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
          <div className={styles.facts}>{loading ? texts.compiled.loading : texts.compiled.empty[query.queryType]}</div>
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

/** PromQL has long stretches without a space: lines end behind a bracket or a comma, not inside a name. */
function breakable(expression: string) {
  return expression.split(/(?<=[({,])/).map((piece, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {piece}
    </Fragment>
  ));
}

const getStyles = (theme: GrafanaTheme2) => ({
  root: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(0.5), minWidth: 0, flexGrow: 1 }),
  head: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'center', minHeight: theme.spacing(2.5) }),
  title: css({ fontSize: theme.typography.bodySmall.fontSize, fontWeight: theme.typography.fontWeightMedium }),
  facts: css({ fontSize: theme.typography.bodySmall.fontSize, color: theme.colors.text.secondary }),
  expression: css({ display: 'flex', gap: theme.spacing(1), alignItems: 'flex-start', minWidth: 0 }),
  code: css({
    flexGrow: 1,
    minWidth: 0,
    margin: 0,
    whiteSpace: 'pre-wrap',
    wordBreak: 'normal',
    overflowWrap: 'anywhere',
    fontSize: theme.typography.bodySmall.fontSize,
  }),
  list: css({ margin: theme.spacing(0.5, 0, 0.5, 3) }),
  end: css({ marginLeft: 'auto' }),
});
