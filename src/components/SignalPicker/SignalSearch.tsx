import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Icon, IconButton, Input, Portal, useStyles2 } from '@grafana/ui';
import React, { useId, useMemo, useState, type KeyboardEvent } from 'react';

import * as texts from '../../texts';
import type { Signal } from '../../types';
import { findSignals, groupSignals } from './find';
import { optionId, SignalList } from './SignalList';
import { useBelow } from './useBelow';

interface Props {
  id: string;
  /** Undefined while loading, and where loading failed. */
  signals?: Signal[];
  /** The id of the chosen signal, and how it is called. */
  value: string;
  label: string;
  placeholder: string;
  invalid?: boolean;
  onChange: (signal: Signal) => void;
  /** Given where no signal is a choice too. */
  onClear?: () => void;
}

const PAGE = 8;

/**
 * A field with a list of signals to search. Grafana's own Combobox has one line for a description and no way to dim an
 * option, and it waits before it searches; here the list follows each keystroke.
 */
export function SignalSearch({ id, signals, value, label, placeholder, invalid, onChange, onClear }: Props) {
  const styles = useStyles2(getStyles);
  const listId = useId();
  const [isOpen, setOpen] = useState(false);
  const [input, setInput] = useState('');
  const [at, setAt] = useState(0);
  const { anchorRef, place } = useBelow<HTMLDivElement>(isOpen);

  const groups = useMemo(
    () => (isOpen ? groupSignals(findSignals(signals ?? [], input)) : []),
    [isOpen, signals, input]
  );
  const found = useMemo(() => groups.flatMap((group) => group.signals), [groups]);
  const active = found[Math.min(at, found.length - 1)];

  const open = () => {
    setOpen(true);
    setInput('');
    const all = groupSignals(signals ?? []).flatMap((group) => group.signals);
    const chosen = all.findIndex((signal) => signal.id === value);
    moveTo(Math.max(0, chosen), all);
  };
  const close = () => setOpen(false);
  const moveTo = (index: number, among: Signal[] = found) => {
    const next = Math.max(0, Math.min(index, among.length - 1));
    setAt(next);
    if (among[next]) {
      // After the list has been drawn.
      setTimeout(() => document.getElementById(optionId(listId, among[next]))?.scrollIntoView?.({ block: 'nearest' }));
    }
  };
  const choose = (signal: Signal) => {
    close();
    onChange(signal);
  };

  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE, PageUp: -PAGE };
    if (event.key in steps) {
      event.preventDefault();
      return isOpen ? moveTo(at + steps[event.key]) : open();
    }
    if (event.key === 'Enter') {
      event.preventDefault();
      if (!isOpen) {
        return open();
      }
      return active && choose(active);
    }
    if (event.key === 'Escape' && isOpen) {
      // Not also the drawer or the panel editor around it.
      event.stopPropagation();
      close();
    }
  };

  return (
    <div ref={anchorRef} className={styles.field}>
      <Input
        id={id}
        role="combobox"
        aria-expanded={isOpen}
        aria-controls={isOpen ? listId : undefined}
        aria-activedescendant={isOpen && active ? optionId(listId, active) : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        invalid={invalid}
        value={isOpen ? input : label}
        placeholder={isOpen ? label || placeholder : placeholder}
        suffix={
          <>
            {onClear && value !== '' && (
              <IconButton name="times" size="sm" aria-label={texts.query.signalClear} onClick={onClear} />
            )}
            <Icon name={isOpen ? 'search' : 'angle-down'} />
          </>
        }
        onClick={() => !isOpen && open()}
        onBlur={close}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          setOpen(true);
          setInput(event.currentTarget.value);
          moveTo(0, []);
        }}
      />
      {isOpen && (
        <Portal>
          <div className={styles.menu} style={place}>
            <div role="status" className={styles.count}>
              {signals === undefined
                ? texts.query.signalLoading
                : found.length === 0
                  ? texts.query.signalNone
                  : texts.query.signalCount(found.length)}
            </div>
            <SignalList id={listId} groups={groups} active={active} chosen={value} onChoose={choose} />
          </div>
        </Portal>
      )}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  field: css({ width: theme.spacing(42), maxWidth: '100%' }),
  menu: css({
    position: 'fixed',
    zIndex: theme.zIndex.portal,
    // The list scrolls, what is said about it stays.
    display: 'flex',
    flexDirection: 'column',
    background: theme.colors.background.elevated ?? theme.colors.background.primary,
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
    boxShadow: theme.shadows.z3,
  }),
  count: css({
    padding: theme.spacing(0.5, 1),
    fontSize: theme.typography.bodySmall.fontSize,
    color: theme.colors.text.secondary,
  }),
});
