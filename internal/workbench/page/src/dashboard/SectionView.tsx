import { css } from '@emotion/css';
import type { GrafanaTheme2, TimeRange } from '@grafana/data';
import { Icon, useStyles2 } from '@grafana/ui';
import type { DataSource } from 'plugin/datasource';
import React, { useId, useState } from 'react';

import { templates } from '../runtime/templates';
import type { Section } from './layout';
import type { Link } from './links';
import type { Panel } from './model';
import { PanelView } from './PanelView';

interface Props {
  section: Section;
  datasource: DataSource;
  range: TimeRange;
  selection: string;
  linksOf: (panel: Panel) => Link[];
  onSelectRange: (from: number, to: number) => void;
}

/** Grafana's grid: 24 columns, rows of 30 pixels, gaps of 8. */
const ROW_HEIGHT = 30;

/** A row's heading and the panels beneath it. */
export function SectionView({ section: { row, panels, scopedVars }, linksOf, ...rest }: Props) {
  const styles = useStyles2(getStyles);
  const id = useId();
  const [isOpen, setOpen] = useState(!row?.collapsed);
  return (
    <section className={styles.section} aria-labelledby={row && id}>
      {row && (
        <h2 className={styles.heading}>
          <button type="button" id={id} className={styles.fold} aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
            <Icon name={isOpen ? 'angle-down' : 'angle-right'} />
            {templates.replace(row.title ?? '', scopedVars, 'text')}
          </button>
        </h2>
      )}
      {isOpen && (
        <div className={styles.grid}>
          {panels.map(({ key, panel, at, scopedVars: own }) => (
            <div
              key={key}
              className={styles.cell}
              style={{ gridColumn: `${at.x + 1} / span ${at.w}`, gridRow: `${at.y + 1} / span ${at.h}` }}
            >
              <PanelView {...rest} panel={panel} scopedVars={own} links={linksOf(panel)} />
            </div>
          ))}
        </div>
      )}
    </section>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  section: css({ marginTop: theme.spacing(1) }),
  heading: css({ fontSize: theme.typography.h5.fontSize, margin: theme.spacing(1, 0) }),
  fold: css({
    display: 'flex',
    alignItems: 'center',
    gap: theme.spacing(1),
    padding: theme.spacing(0.5, 1, 0.5, 0),
    border: 'none',
    background: 'none',
    fontWeight: theme.typography.fontWeightMedium,
  }),
  grid: css({
    display: 'grid',
    gridTemplateColumns: 'repeat(24, minmax(0, 1fr))',
    gridAutoRows: ROW_HEIGHT,
    gap: 8,
  }),
  cell: css({
    minWidth: 0,
    // One below the other where there is no room for 24 columns.
    [theme.breakpoints.down('md')]: { gridColumn: '1 / -1 !important', gridRow: 'auto / span 10 !important' },
  }),
});
