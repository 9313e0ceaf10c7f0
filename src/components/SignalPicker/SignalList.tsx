import { css, cx } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Icon, useStyles2 } from '@grafana/ui';
import React, { memo } from 'react';

import { isChinese } from '../../texts/language';
import { titleOf, unitName } from '../../names';
import * as texts from '../../texts';
import type { Signal } from '../../types';
import type { Group } from './find';

interface Props {
  id: string;
  groups: Group[];
  /** The signal that Enter would take. */
  active?: Signal;
  /** The id of the signal that is chosen now. */
  chosen: string;
  onChoose: (signal: Signal) => void;
}

export const optionId = (listId: string, signal: Signal) => `${listId}-${signal.id}`;

/** The options by group. The field that it belongs to keeps the focus. */
export const SignalList = memo(function SignalList({ id, groups, active, chosen, onChoose }: Props) {
  const styles = useStyles2(getStyles);
  return (
    <div id={id} role="listbox" aria-label={texts.query.signal} className={styles.list}>
      {groups.map(({ name, signals }) => (
        <div key={name} role="group" aria-labelledby={`${id}-group-${name}`}>
          <div id={`${id}-group-${name}`} role="presentation" className={styles.heading}>
            {texts.groups[name] ?? name}
          </div>
          {signals.map((signal) => (
            <SignalOption
              key={signal.id}
              id={optionId(id, signal)}
              signal={signal}
              isActive={signal === active}
              isChosen={signal.id === chosen}
              onChoose={onChoose}
            />
          ))}
        </div>
      ))}
    </div>
  );
});

interface OptionProps {
  id: string;
  signal: Signal;
  isActive: boolean;
  isChosen: boolean;
  onChoose: (signal: Signal) => void;
}

const SignalOption = memo(function SignalOption({ id, signal, isActive, isChosen, onChoose }: OptionProps) {
  const styles = useStyles2(getStyles);
  const isMissing = signal.available === false;
  const facts = [
    signal.level && texts.query.perLevel(texts.levels[signal.level] ?? signal.level),
    unitName(signal.unit),
  ].filter(Boolean);
  return (
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      className={cx(styles.option, isActive && styles.active, isChosen && styles.chosen)}
      // The press must not take the focus out of the field, which would close the list before the click.
      onMouseDown={(event) => event.preventDefault()}
      onClick={() => onChoose(signal)}
    >
      <div className={styles.line}>
        <span className={cx(styles.title, isMissing && styles.dimmed)}>{titleOf(signal)}</span>
        {isChinese && <span className={styles.small}>{signal.title}</span>}
        <span className={styles.facts}>{facts.join(' · ')}</span>
      </div>
      {isMissing && (
        <div className={styles.small}>
          <Icon name="exclamation-triangle" size="xs" /> {texts.query.unavailable(signal.reason)}
        </div>
      )}
      <div className={styles.small}>{signal.meaning}</div>
    </div>
  );
});

const getStyles = (theme: GrafanaTheme2) => ({
  list: css({ overflowY: 'auto', minHeight: 0 }),
  heading: css({
    padding: theme.spacing(1, 1, 0.5),
    fontSize: theme.typography.bodySmall.fontSize,
    fontWeight: theme.typography.fontWeightMedium,
    color: theme.colors.text.secondary,
    borderTop: `1px solid ${theme.colors.border.weak}`,
  }),
  option: css({
    padding: theme.spacing(0.5, 1),
    cursor: 'pointer',
    borderLeft: '2px solid transparent',
    // What is out of sight costs no layout: the list may hold hundreds.
    contentVisibility: 'auto',
    containIntrinsicSize: 'auto 44px',
    '&:hover': { background: theme.colors.action.hover },
  }),
  // The secondary colour of text has too little contrast here.
  active: css({ background: theme.colors.action.focus, '& div, & span': { color: theme.colors.text.primary } }),
  chosen: css({ borderLeftColor: theme.colors.primary.border }),
  line: css({ display: 'flex', alignItems: 'baseline', gap: theme.spacing(1) }),
  title: css({ fontWeight: theme.typography.fontWeightMedium }),
  dimmed: css({ color: theme.colors.text.secondary, fontWeight: theme.typography.fontWeightRegular }),
  small: css({ fontSize: theme.typography.bodySmall.fontSize, color: theme.colors.text.secondary }),
  facts: css({
    marginLeft: 'auto',
    whiteSpace: 'nowrap',
    fontSize: theme.typography.bodySmall.fontSize,
    color: theme.colors.text.secondary,
  }),
});
