import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React from 'react';

import { catalog } from '../../testing/fixtures';
import * as texts from '../../texts';
import type { Signal } from '../../types';
import { findSignals, groupSignals } from './find';
import { SignalPicker } from './SignalPicker';

function setUp(props: Partial<React.ComponentProps<typeof SignalPicker>> = {}) {
  const onChange = jest.fn();
  render(<SignalPicker id="s" signals={catalog.signals} value="ttft" onChange={onChange} {...props} />);
  return { user: userEvent.setup(), onChange, field: screen.getByRole('combobox', { name: texts.query.signal }) };
}

const titles = () => screen.queryAllByRole('option').map((option) => option.querySelector('span')?.textContent);

describe('finding', () => {
  const ids = (input: string) => findSignals(catalog.signals, input).map(({ id }) => id);

  it('looks through titles in both languages, ids and meanings', () => {
    expect(ids('预填充')).toEqual(['prefill_request_rate']);
    expect(ids('kv req')).toEqual(['kv_transfer_request_rate']);
    expect(ids('means ttft')).toEqual(['ttft']);
    expect(ids('')).toHaveLength(catalog.signals.length);
    // A statistic is chosen in the next field, and only a distribution has several.
    expect(ids('TTFT P99')).toEqual(['ttft']);
    expect(ids('p99.9 mean')).not.toContain('prefill_request_rate');
  });

  it('keeps the order of the catalog, with what is not here behind what is', () => {
    const [gone, ...others] = catalog.signals;
    const groups = groupSignals([{ ...gone, available: false }, ...others]);
    expect(groups.map(({ name }) => name)).toEqual(['Throughput', 'Latency', 'Queues', 'PD transfer']);
    expect(groups[0].signals.map(({ id }) => id)).toEqual([
      'decode_request_rate',
      'kv_transfer_request_rate',
      'prefill_request_rate',
    ]);
  });

  it('takes no time worth seeing among 350 signals', () => {
    const many: Signal[] = Array.from({ length: 350 }, (_, index) => ({
      ...catalog.signals[index % 5],
      id: `s${index}`,
    }));
    groupSignals(findSignals(many, '')); // the first makes what is searched
    const once = performance.now();
    for (let i = 0; i < 100; i++) {
      groupSignals(findSignals(many, 'means ttft'.slice(0, i % 10)));
    }
    // A hundred keystrokes together: 50 ms each would be five seconds.
    expect(performance.now() - once).toBeLessThan(2500);
  });
});

describe('the list', () => {
  it('opens on a click and shows meaning, level, unit, and why a signal is not here', async () => {
    const { user, field } = setUp();
    expect(field).toHaveValue('TTFT');
    expect(field).toHaveAttribute('aria-expanded', 'false');
    await user.click(field);
    expect(field).toHaveAttribute('aria-expanded', 'true');
    expect(within(screen.getByRole('group', { name: 'Latency' })).getByRole('option')).toHaveTextContent(
      'TTFTper request · secondsWhat TTFT means.'
    );
    expect(screen.getByRole('option', { name: /KV transfer time/ })).toHaveTextContent(
      'Not exported here: set FLAGCX_METRICS=1'
    );
    expect(screen.getByRole('option', { selected: true })).toHaveTextContent('TTFT');
  });

  it('follows each keystroke and takes the first with Enter', async () => {
    const { user, field, onChange } = setUp();
    await user.click(field);
    await user.keyboard('run');
    expect(titles()).toEqual(['Running']);
    expect(screen.getByRole('status')).toHaveTextContent(texts.query.signalCount(1));
    await user.keyboard('{Enter}');
    expect(onChange).toHaveBeenCalledWith(expect.objectContaining({ id: 'requests_running' }));
    expect(titles()).toEqual([]);
  });

  it('is walked through by keys alone', async () => {
    const { user, field, onChange } = setUp();
    await user.tab();
    expect(field).toHaveFocus();
    await user.keyboard('{ArrowDown}');
    const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
    expect(active()).toHaveTextContent('TTFT');
    await user.keyboard('{ArrowDown}');
    expect(active()).toHaveTextContent('Running');
    await user.keyboard('{ArrowUp}{ArrowUp}{ArrowUp}{ArrowUp}');
    expect(active()).toHaveTextContent('Prefill req/s');
    await user.keyboard('{Escape}');
    expect(titles()).toEqual([]);
    expect(field).toHaveValue('TTFT');
    expect(onChange).not.toHaveBeenCalled();
  });

  it('says that nothing matches, and takes nothing then', async () => {
    const { user, field } = setUp();
    await user.click(field);
    await user.keyboard('zzz{Enter}');
    expect(screen.getByRole('status')).toHaveTextContent(texts.query.signalNone);
  });

  it('says that it is still loading', async () => {
    const { user, field } = setUp({ signals: undefined });
    await user.click(field);
    expect(screen.getByRole('status')).toHaveTextContent(texts.query.signalLoading);
  });

  it('can be cleared where no signal is a choice too', async () => {
    const onClear = jest.fn();
    const { user } = setUp({ onClear });
    await user.click(screen.getByRole('button', { name: texts.query.signalClear }));
    expect(onClear).toHaveBeenCalledTimes(1);
  });
});
