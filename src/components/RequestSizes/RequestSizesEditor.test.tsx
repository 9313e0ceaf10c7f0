import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React, { useState } from 'react';

import { SavedSource } from '../../savedSource';
import { answerKVBytes, fakeBackend, refused } from '../../testing/fakeBackend';
import * as texts from '../../texts';
import type { KVBytes, RequestSize } from '../../types';
import { RequestSizesEditor } from './RequestSizesEditor';

const { sizes } = texts;
const LLAMA = 'meta-llama/Llama-3.1-70B';

const routes = {
  'kv-bytes': answerKVBytes,
  'kv-presets': () => ({
    presets: [
      { name: 'deepseek-v3', model: 'deepseek-ai/DeepSeek-V3', source: 'a copy of it', date: '2026-08' },
      { name: 'llama-3.1-70b', model: LLAMA, source: 'its page', date: '2026-08' },
    ],
  }),
  'request-sizes': () => ({ models: [], notices: [] }),
  'labels/model/values': () => ({ values: [LLAMA, 'Qwen/Qwen2.5-7B'] }),
};

/** Renders the editor with the state that the settings page keeps for it. */
async function renderEditor(initial: RequestSize[], disabled = false) {
  let latest = initial;
  const source = new SavedSource('pd');
  function Page() {
    const [list, setList] = useState(latest);
    latest = list;
    return <RequestSizesEditor disabled={disabled} source={source} sizes={list} onChange={setList} />;
  }
  render(<Page />);
  await act(async () => undefined);
  return { user: userEvent.setup({ pointerEventsCheck: 0 }), sizes: () => latest };
}

const field = (name: keyof typeof sizes.fieldTexts, role = 'textbox') =>
  screen.getByRole(role, { name: new RegExp(`^${sizes.fieldTexts[name].label}`) });
const configField = () => screen.getByRole('textbox', { name: new RegExp(`^${sizes.config}`) });
const choose = (kind: keyof typeof sizes.kinds) => screen.getByRole('radio', { name: sizes.kinds[kind].label });
const withPreset: RequestSize = { model: 'm', preset: 'llama-3.1-70b', inputTokens: 8192, kvDtype: 'bf16' };

beforeEach(() => void fakeBackend(routes));

describe('the number', () => {
  it('comes from the server for a geometry that is typed', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: LLAMA }]);
    await user.click(choose('geometry'));
    expect(screen.getByRole('status')).toHaveTextContent(sizes.fieldTexts.layers.label);
    await user.type(field('layers'), '80');
    await user.type(field('kvHeads'), '8');
    await user.type(field('headDim'), '128');
    await user.type(field('inputTokens'), '8192');
    await waitFor(() => expect(screen.getByRole('status')).toHaveTextContent('2,684,354,560 B (2.5 GiB)'));
    expect(stored()).toEqual([
      { model: LLAMA, kvDtype: 'bf16', layers: 80, kvHeads: 8, headDim: 128, inputTokens: 8192 },
    ]);
  });

  it('shows its derivation, a row for each group of layers, and the defaults beside their fields', async () => {
    const { user } = await renderEditor([{ ...withPreset, engine: 'vllm', connector: 'flagcx', decodeTP: 16 }]);
    const table = await screen.findByRole('table', { name: sizes.table.caption });
    expect(within(table).getByRole('row', { name: /^80 × full attention/ })).toHaveTextContent(
      '80 × full attention8128 + 1284,096 /token× 8,192× 25,368,709,120'
    );
    expect(table).toHaveTextContent('327,680 B/token × 8,192 tokens × 2 copies = 5,368,709,120 B');
    expect(screen.getByRole('status')).toHaveTextContent(
      '5,368,709,120 B (5 GiB)327,680 B for each token · 8,192 tokens · 2 copies'
    );
    // While the field is folded away its default is among the notices.
    expect(within(screen.getByRole('list')).getByText(/^blockSize is not set: 16 is taken/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: sizes.serving }));
    expect(screen.queryByText(/^blockSize is not set/)).not.toBeInTheDocument();
    expect(screen.getByText(/^Default: 16 is taken/)).toBeInTheDocument();
  });

  it('adds up groups of layers of different kinds', async () => {
    await renderEditor([
      {
        ...{ model: 'm', preset: 'gpt-oss-120b', inputTokens: 8192, kvDtype: 'bf16', engine: 'vllm' },
        ...{ connector: 'nixl', blockSize: 16, decodeTP: 8, allTokens: false },
      },
    ]);
    const table = await screen.findByRole('table', { name: sizes.table.caption });
    expect(within(table).getByRole('row', { name: /^18 × sliding window/ })).toHaveTextContent(
      /128.*× 144.*5,308,416$/
    );
    expect(within(table).getByRole('row', { name: /^18 × full attention/ })).toHaveTextContent(/× 8,192.*301,989,888$/);
    expect(within(table).getByRole('row', { name: /^Sum/ })).toHaveTextContent('307,298,304');
    // What is set in the fold is not forgotten while it is closed.
    expect(
      screen.getByRole('button', { name: 'How it is served: Block size: 16, Windowed layers send every token: No' })
    ).toBeInTheDocument();
  });

  it('is shown on a provisioned data source too, where nothing can be edited', async () => {
    await renderEditor([{ ...withPreset, engine: 'vllm', connector: 'flagcx', decodeTP: 16 }], true);
    expect(await screen.findByText('5,368,709,120 B (5 GiB)')).toBeInTheDocument();
    for (const control of [...screen.getAllByRole('textbox'), ...screen.getAllByRole('combobox')]) {
      expect(control).toBeDisabled();
    }
    expect(screen.getByRole('button', { name: sizes.add })).toBeDisabled();
    expect(screen.getByRole('button', { name: sizes.remove(1) })).toBeDisabled();
  });

  it('is that of the newest input, whatever comes late', async () => {
    const bytes = (n: number): KVBytes => ({
      ...{ bytesPerRequest: n, bytesPerToken: n, stateBytes: 0, copies: 1, tokens: 1, groups: [], notices: [] },
    });
    const waiting: Array<(answer: KVBytes) => void> = [];
    const fetch = fakeBackend({
      ...routes,
      'kv-bytes': () => new Promise<KVBytes>((resolve) => waiting.push(resolve)),
    });
    const { user } = await renderEditor([withPreset]);
    await waitFor(() => expect(waiting).toHaveLength(1));
    await user.click(field('prefillTP'));
    await user.paste('12');
    await waitFor(() => expect(waiting).toHaveLength(2));
    expect(fetch.mock.calls.at(-1)?.[0].data).toEqual({ ...withPreset, prefillTP: 12 });
    await act(async () => waiting[1](bytes(222)));
    await act(async () => waiting[0](bytes(111)));
    expect(screen.getByRole('status')).toHaveTextContent('222 B');
  });
});

describe('what cannot be computed', () => {
  it('marks the field that a refusal names, and shows the rest below', async () => {
    fakeBackend({
      ...routes,
      'kv-bytes': () => refused('inputTokens is 9: give less\ncopies is 0: give more\nsomething else'),
    });
    const { user } = await renderEditor([withPreset]);
    expect(await screen.findByText('inputTokens is 9: give less')).toHaveAttribute('role', 'alert');
    expect(field('inputTokens')).toBeInvalid();
    const rest = screen.getByText(/something else/);
    expect(rest).toHaveTextContent('copies is 0');
    await user.click(screen.getByRole('button', { name: sizes.serving }));
    expect(field('copies')).toBeInvalid();
    expect(screen.getByText(/something else/)).not.toHaveTextContent('copies');
  });

  it('marks the config for a field that it lacks', async () => {
    await renderEditor([
      {
        ...{ model: 'm', inputTokens: 8192, kvDtype: 'bf16' },
        config: { model_type: 'llama', num_hidden_layers: 80 },
      },
    ]);
    expect(await screen.findByText(/config\.hidden_size is missing/)).toHaveAttribute('role', 'alert');
    expect(configField()).toBeInvalid();
  });

  it('says plainly that a data source which is not saved yet does not answer', async () => {
    fakeBackend({});
    await renderEditor([withPreset]);
    expect(await screen.findByText(/^The bytes are computed by .* save it first/)).toHaveTextContent(
      'Data source not found'
    );
    expect(screen.getByText(sizes.presetsFailed)).toBeInTheDocument();
  });
});

describe('config.json', () => {
  it('is stored as an object once it is JSON, and kept as text until then', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: 'm', inputTokens: 8192 }]);
    await user.click(choose('config'));
    await user.click(configField());
    await user.paste('{"num_hidden_layers": 80, ');
    expect(screen.getByText(/^This is not JSON yet/)).toHaveAttribute('role', 'alert');
    expect(configField()).toBeInvalid();
    expect(stored()[0].config).toBe('{"num_hidden_layers": 80, ');
    await user.paste('"head_dim": 128}');
    expect(configField()).not.toBeInvalid();
    expect(configField()).toHaveValue('{"num_hidden_layers": 80, "head_dim": 128}');
    expect(stored()).toEqual([{ model: 'm', inputTokens: 8192, config: { num_hidden_layers: 80, head_dim: 128 } }]);
    await user.clear(configField());
    expect(stored()).toEqual([{ model: 'm', inputTokens: 8192 }]);
    await user.paste('[1]');
    expect(screen.getByText(sizes.configNotObject)).toBeInTheDocument();
  });

  it('may be long: it is then read after a pause, at the latest on leaving the field', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: 'm', config: {} }]);
    const long = { n_layer: 48, ignore: Array.from({ length: 2000 }, (_, layer) => `model.layers.${layer}`) };
    await user.clear(configField());
    await user.paste(JSON.stringify(long));
    expect(configField()).toHaveValue(JSON.stringify(long));
    await user.tab();
    expect(stored()[0].config).toEqual(long);
    await user.click(configField());
    await user.keyboard('x');
    await waitFor(() => expect(configField()).toBeInvalid());
    expect(stored()[0].config).toBe(`${JSON.stringify(long)}x`);
  });

  it('can be loaded from a file', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: 'm', config: {} }]);
    const file = new File(['{"n_layer": 48}'], 'config.json', { type: 'application/json' });
    await user.upload(screen.getByLabelText(sizes.configLoad, { selector: 'input' }), file);
    await waitFor(() => expect(configField()).toHaveValue('{"n_layer": 48}'));
    expect(stored()[0].config).toEqual({ n_layer: 48 });
  });

  it('comes back after another way was looked at', async () => {
    const { user, sizes: stored } = await renderEditor([
      { model: 'm', config: { n_layer: 48 }, inputTokens: 7, tp: 2 },
    ]);
    await user.click(choose('bytes'));
    expect(stored()).toEqual([{ model: 'm' }]);
    await user.type(field('bytesPerRequest'), '5');
    await user.click(choose('config'));
    expect(stored()).toEqual([{ model: 'm', config: { n_layer: 48 }, inputTokens: 7, tp: 2 }]);
  });
});

describe('fields', () => {
  it('offers the served models and takes a pattern', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: '' }]);
    const model = () => screen.getByRole('combobox', { name: sizes.model });
    await user.click(model());
    await user.click(await screen.findByRole('option', { name: LLAMA }));
    expect(stored()[0].model).toBe(LLAMA);
    await user.click(model());
    await user.keyboard('/llama-3.*/{Enter}');
    expect(stored()[0].model).toBe('/llama-3.*/');
    await user.click(model());
    await user.keyboard('/(/');
    await user.tab();
    expect(stored()[0].model).toBe('/(/');
    expect(screen.getByText(sizes.modelInvalid)).toHaveAttribute('role', 'alert');
    expect(model()).toBeInvalid();
  });

  it('say what is missing while it is typed, and stay as they are when they are left', async () => {
    const { user } = await renderEditor([{ model: '' }]);
    const tokens = screen.getByRole('textbox', { name: new RegExp(`^${sizes.fieldTexts.inputTokens.label}`) });
    await user.click(tokens);
    await user.tab();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
    await user.type(tokens, '8');
    expect(screen.getByRole('alert')).toHaveTextContent(sizes.modelMissing);
    await user.clear(tokens);
    expect(tokens).toBeInvalid();
  });

  it('offers known models with where and when they were read', async () => {
    const { user, sizes: stored } = await renderEditor([{ model: 'm' }]);
    const picker = screen.getByRole('combobox', { name: sizes.preset });
    await user.type(picker, 'llama');
    expect(screen.queryByRole('option', { name: /deepseek/ })).not.toBeInTheDocument();
    await user.click(await screen.findByRole('option', { name: /^llama-3\.1-70b/ }));
    expect(stored()).toEqual([{ model: 'm', preset: 'llama-3.1-70b' }]);
    expect(screen.getByText(sizes.presetRead('its page', '2026-08'))).toBeInTheDocument();
    expect(screen.getByRole('status')).toHaveTextContent(sizes.fieldTexts.inputTokens.label);
  });

  it('offers the connectors of the engine, and forgets one with its engine', async () => {
    const { user, sizes: stored } = await renderEditor([{ ...withPreset, engine: 'vllm', connector: 'p2pnccl' }]);
    await user.click(field('engine', 'combobox'));
    await user.click(await screen.findByRole('option', { name: 'SGLang' }));
    expect(stored()).toEqual([{ ...withPreset, engine: 'sglang' }]);
    await user.click(field('connector', 'combobox'));
    expect(await screen.findByRole('option', { name: 'mori' })).toBeInTheDocument();
    expect(screen.queryByRole('option', { name: 'p2pnccl' })).not.toBeInTheDocument();
  });

  it('stores a switch as true, false or not at all', async () => {
    const { user, sizes: stored } = await renderEditor([withPreset]);
    await user.click(screen.getByRole('button', { name: sizes.serving }));
    const group = screen.getByRole('radiogroup', { name: sizes.fieldTexts.allTokens.label });
    await user.click(within(group).getByRole('radio', { name: sizes.switches.off }));
    expect(stored()[0].allTokens).toBe(false);
    await user.click(within(group).getByRole('radio', { name: sizes.switches.default }));
    expect(stored()).toEqual([withPreset]);
  });

  it.each([
    ['0', texts.config.numberNotPositive],
    ['-1', texts.config.numberNotPositive],
    ['2.5', texts.config.numberNotWhole],
    ['9007199254740993', texts.config.numberTooLarge],
    ['2 GiB', texts.config.numberNotANumber],
  ])('marks %p, with the remedy, and stores no number', async (text, remedy) => {
    const { user, sizes: stored } = await renderEditor([{ model: 'm', bytesPerRequest: 7 }]);
    await user.clear(field('bytesPerRequest'));
    await user.click(field('bytesPerRequest'));
    await user.paste(text);
    expect(screen.getByText(remedy)).toBeInTheDocument();
    expect(field('bytesPerRequest')).toBeInvalid();
    expect(stored()).toEqual([{ model: 'm' }]);
  });
});

describe('entries', () => {
  it('marks a model that has one already', async () => {
    await renderEditor([
      { model: 'm', bytesPerRequest: 1 },
      { model: 'm', bytesPerRequest: 2 },
    ]);
    expect(screen.getByText(sizes.modelDuplicate)).toBeInTheDocument();
  });

  it('are added empty, and the one that was meant is removed', async () => {
    const { user, sizes: stored } = await renderEditor([
      { model: 'a', bytesPerRequest: 1 },
      { model: 'b', bytesPerRequest: 2 },
    ]);
    await user.click(screen.getByRole('button', { name: sizes.remove(1) }));
    expect(stored()).toEqual([{ model: 'b', bytesPerRequest: 2 }]);
    expect(screen.getByRole('combobox', { name: sizes.model })).toHaveValue('b');
    await user.click(screen.getByRole('button', { name: sizes.add }));
    expect(stored()).toEqual([{ model: 'b', bytesPerRequest: 2 }, { model: '' }]);
  });
});
