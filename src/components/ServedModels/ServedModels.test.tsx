import { act, render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React, { useState } from 'react';

import { SavedSource } from '../../savedSource';
import { answerKVBytes, fakeBackend, refused } from '../../testing/fakeBackend';
import * as texts from '../../texts';
import type { RequestSize, ServedModel } from '../../types';
import { RequestSizesEditor } from '../RequestSizes/RequestSizesEditor';

const { served } = texts;

const plain: ServedModel = {
  model: 'org/plain',
  configuredBytes: 2_684_354_560,
  derivation: '80 layers × …',
  preset: '',
  measured: { system: 'flagcx', bytesPerRequest: 2_684_354_559.6, requests: 600.2, window: '5m' },
  inputTokens: 8191.6,
  ratio: 1,
  meaning: 'As configured.',
  severity: 'info',
};
const latent: ServedModel = {
  ...plain,
  model: 'org/DeepSeek-V3',
  configuredBytes: 575_668_224,
  measured: { system: 'nixl', bytesPerRequest: 4_605_345_792, requests: 1200, window: '5m' },
  ratio: 8,
  meaning: 'Every decode rank pulls the latent: set copies.',
  severity: 'warning',
};
const unknown: ServedModel = {
  ...{ model: 'org/Llama-3.1-70B', configuredBytes: 0, derivation: '', preset: 'llama-3.1-70b' },
  ...{ measured: null, inputTokens: 0, ratio: 0, meaning: '', severity: 'info' as const },
};

async function renderPage(models: ServedModel[] | (() => never), initial: RequestSize[] = [], disabled = false) {
  const fetch = fakeBackend({
    'kv-bytes': answerKVBytes,
    'kv-presets': () => ({ presets: [] }),
    'request-sizes': typeof models === 'function' ? models : () => ({ models, notices: null }),
  });
  let latest = initial;
  const source = new SavedSource('pd', 3);
  function Page() {
    const [sizes, setSizes] = useState(latest);
    latest = sizes;
    return <RequestSizesEditor disabled={disabled} source={source} sizes={sizes} onChange={setSizes} />;
  }
  render(<Page />);
  await act(async () => undefined);
  const asked = () => fetch.mock.calls.filter(([{ url }]) => url.endsWith('/request-sizes')).length;
  return { user: userEvent.setup({ pointerEventsCheck: 0 }), sizes: () => latest, asked };
}

const row = (model: string) => screen.findByRole('row', { name: new RegExp(model) });

it('sets what was measured beside what is configured, with what their ratio means', async () => {
  await renderPage([plain, latent, unknown]);
  expect(await row('org/plain')).toHaveTextContent(
    /2,684,354,560 B \(2.5 GiB\)80 layers × …2,684,354,560 B \(2.5 GiB\)600 requests in 5m, FlagCXprompt of 8,192 tokens1.00As configured/
  );
  expect(await row('DeepSeek')).toHaveTextContent(`8.00${latent.meaning}`);
  expect(await row('Llama')).toHaveTextContent(`${served.noSize}${served.nothingMeasured}`);
});

it('adds an entry, or one with the suggested preset, before any pattern that would catch its model', async () => {
  const pattern = { model: '/.*/', bytesPerRequest: 5 };
  const { user, sizes } = await renderPage([unknown], [pattern]);
  await user.click(await screen.findByRole('button', { name: served.addPresetLabel(unknown.model, unknown.preset) }));
  expect(sizes()).toEqual([{ model: unknown.model, preset: 'llama-3.1-70b' }, pattern]);
  expect(screen.getByRole('group', { name: texts.sizes.entry(1, unknown.model) })).toHaveFocus();
  expect(screen.queryByRole('button', { name: served.addLabel(unknown.model) })).not.toBeInTheDocument();

  await user.click(screen.getByRole('button', { name: texts.sizes.remove(1) }));
  await user.click(screen.getByRole('button', { name: served.addLabel(unknown.model) }));
  expect(sizes()).toEqual([{ model: unknown.model }, pattern]);
});

it('takes the measured length of the prompts over into a preset', async () => {
  const { user, sizes } = await renderPage([{ ...unknown, inputTokens: 8191.6 }]);
  await user.click(await screen.findByRole('button', { name: served.addPresetLabel(unknown.model, unknown.preset) }));
  expect(sizes()).toEqual([{ model: unknown.model, preset: 'llama-3.1-70b', inputTokens: 8192 }]);
});

it('freezes the measured value on demand, in place of the entry that is there', async () => {
  const entry: RequestSize = { model: latent.model, preset: 'deepseek-v3', inputTokens: 8192, kvDtype: 'bf16' };
  const { user, sizes } = await renderPage([latent], [{ model: 'a', bytesPerRequest: 1 }, entry]);
  expect(await screen.findByText(served.freezing)).toBeInTheDocument();
  await user.click(await screen.findByRole('button', { name: served.useMeasuredLabel(latent.model) }));
  expect(sizes()).toEqual([
    { model: 'a', bytesPerRequest: 1 },
    { model: latent.model, bytesPerRequest: 4_605_345_792 },
  ]);
  const fields = screen.getByRole('group', { name: texts.sizes.entry(2, latent.model) });
  expect(within(fields).getByRole('radio', { name: texts.sizes.kinds.bytes.label })).toBeChecked();
  expect(await within(fields).findByText('4,605,345,792 B (4.29 GiB)')).toBeInTheDocument();
});

it('offers no change on a provisioned data source', async () => {
  await renderPage([latent, unknown], [], true);
  expect(await row('Llama')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: served.addLabel(unknown.model) })).not.toBeInTheDocument();
  expect(screen.queryByRole('button', { name: served.useMeasuredLabel(latent.model) })).not.toBeInTheDocument();
});

it('looks again when asked to', async () => {
  const { user, asked } = await renderPage([plain]);
  await row('org/plain');
  expect(asked()).toBe(1);
  await user.click(screen.getByRole('button', { name: served.refresh }));
  await row('org/plain');
  expect(asked()).toBe(2);
});

describe('without an answer', () => {
  it('says that a new data source has to be saved first', async () => {
    fakeBackend({});
    render(
      <RequestSizesEditor disabled={false} source={new SavedSource('pd')} sizes={[]} onChange={() => undefined} />
    );
    expect(await screen.findByText(/save it first/)).toBeInTheDocument();
  });

  it('repeats what the back end says of a server that is down', async () => {
    await renderPage(() => refused('connection refused: check host and port'));
    expect(await screen.findByText('connection refused: check host and port')).toBeInTheDocument();
    expect(screen.getByText(served.failed)).toBeInTheDocument();
  });

  it('says what to look at where no model is found', async () => {
    await renderPage([]);
    expect(await screen.findByText(served.empty)).toBeInTheDocument();
  });
});
