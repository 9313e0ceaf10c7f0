import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React, { useMemo, useState } from 'react';

import { useDiscovery } from '../../hooks/useDiscovery';
import { SavedSource } from '../../savedSource';
import { fakeBackend, refused } from '../../testing/fakeBackend';
import * as texts from '../../texts';
import type { DiscoveredSystem, Discovery, PDOptions } from '../../types';
import { Found } from './Found';
import { RolesSection } from './RolesSection';

const engines = ['prefill-0', 'prefill-1', 'decode-0', 'decode-1', 'decode-2', 'decode-3', 'decode-4'];

function system(fields: Partial<DiscoveredSystem>): DiscoveredSystem {
  return {
    ...{ name: 'vllm', title: 'vLLM', prefixes: ['vllm:'], roleBy: 'matchers', roles: [], models: [] },
    ...{ dpRanks: 0, tpRanks: 0, scrapeInterval: '1s' },
    ...fields,
  };
}

function found(fields: Partial<Discovery> = {}): Discovery {
  return {
    server: 'Prometheus 3.5.0',
    scrapeInterval: '1s',
    engines: engines.length,
    systems: [
      system({
        roles: [
          { role: 'prefill', count: 2, instances: engines.slice(0, 2) },
          { role: 'decode', count: 30, instances: engines.slice(2) },
        ],
        models: ['org/a', 'org/b'],
        dpRanks: 4,
        tpRanks: 8,
      }),
      system({ name: 'flagcx', title: 'FlagCX', roleBy: 'nothing' }),
    ],
    matchers: {},
    ...fields,
  };
}

/** A server that counts the engines of `instance=~"x.*"` by their beginning. */
function counting({ params }: { params?: Record<string, string> }): Discovery {
  const matched = (text = '') => {
    const instances = engines.filter((name) => name.startsWith(/"(\w*-?)/.exec(text)?.[1] ?? ''));
    return { matchers: text, count: instances.length, instances, error: text.includes('pod') ? 'no pod here' : '' };
  };
  return found({
    matchers: {
      prefill: matched(params?.prefill || 'instance=~"prefill.*"'),
      decode: matched(params?.decode || 'instance=~"decode.*"'),
    },
  });
}

async function renderPage(discovery: Parameters<typeof fakeBackend>[0][string]) {
  const fetch = fakeBackend({ discovery });
  let setVersion: (version: number) => void = () => undefined;
  function Page() {
    const [version, set] = useState(1);
    const [roles, setRoles] = useState<PDOptions['roles']>();
    setVersion = set;
    const source = useMemo(() => new SavedSource('pd', version), [version]);
    const answer = useDiscovery(source, roles);
    return (
      <>
        <Found discovery={answer} />
        <RolesSection disabled={false} roles={roles} found={answer.answer} onChange={setRoles} />
      </>
    );
  }
  render(<Page />);
  return {
    user: userEvent.setup({ pointerEventsCheck: 0 }),
    asked: () => fetch.mock.calls.length,
    save: () => act(() => setVersion(2)),
  };
}

it('summarises systems, roles, models, ranks and the scrape interval, long lists cut', async () => {
  await renderPage(() => found());
  expect(await screen.findByText('Prometheus 3.5.0 with 7 engines, scraped every 1s')).toBeInTheDocument();
  const row = screen.getByRole('row', { name: /^vLLM/ });
  expect(row).toHaveTextContent('vLLMvllm:2 prefill prefill-0, prefill-1');
  expect(row).toHaveTextContent('30 decode decode-0, decode-1, decode-2, decode-3, decode-4 … and 25 more');
  expect(row).toHaveTextContent('org/aorg/bDP 4, TP 8');
  expect(screen.getByRole('row', { name: /^FlagCX/ })).toHaveTextContent(texts.found.noEngines);
});

it('looks again after a save and on demand', async () => {
  let anew: string | undefined;
  const { user, asked, save } = await renderPage(({ params }) => {
    anew = params?.again;
    return found();
  });
  await screen.findByRole('table');
  save();
  await waitFor(() => expect(asked()).toBe(2));
  expect(anew).toBeUndefined();
  await waitFor(() => expect(screen.getByRole('button', { name: texts.found.refresh })).toBeEnabled());
  await user.click(screen.getByRole('button', { name: texts.found.refresh }));
  await waitFor(() => expect(asked()).toBe(3));
  expect(anew).toBe('true');
});

it('counts the engines that matchers fit while they are typed', async () => {
  const { user } = await renderPage(counting);
  const [prefill, decode] = [await screen.findByText(/^Fits 2 of 7/), await screen.findByText(/^Fits 5 of 7/)];
  expect(prefill).toHaveTextContent('Fits 2 of 7 engines: prefill-0, prefill-1');
  expect(decode).toBeInTheDocument();
  const field = screen.getByLabelText(texts.config.prefill);
  await user.click(field);
  await user.paste('instance=~"nobody.*"');
  expect(await screen.findByText(texts.found.matchingNone(7))).toBeInTheDocument();
});

it('marks matchers that only the server knows to be wrong', async () => {
  const { user } = await renderPage(counting);
  await screen.findByText(/^Fits 5 of 7/);
  const field = screen.getByLabelText(texts.config.decode);
  await user.click(field);
  await user.paste('pod="a"');
  expect(await screen.findByText('no pod here')).toHaveAttribute('role', 'alert');
  expect(field).toBeInvalid();
});

it('says which engines tell their role themselves', async () => {
  await renderPage(() => found({ systems: [system({ title: 'SGLang', roleBy: 'label' })] }));
  expect(await screen.findByText(texts.found.matchersUnused(['SGLang']))).toBeInTheDocument();
});

describe('without an answer', () => {
  it('repeats what is wrong with the server or the settings', async () => {
    await renderPage(() => refused('no URL is set: enter the address'));
    expect(await screen.findByText('no URL is set: enter the address')).toBeInTheDocument();
  });

  it('says that a new data source has to be saved first', async () => {
    await renderPage(() => {
      throw { status: 404, data: { message: 'Not found' } };
    });
    expect(await screen.findByText(/save it first/)).toBeInTheDocument();
  });

  it('says what to check where no engine is scraped', async () => {
    await renderPage(() => found({ systems: [], engines: 0 }));
    expect(await screen.findByText(texts.found.empty)).toBeInTheDocument();
    expect(within(document.body).queryByRole('table')).not.toBeInTheDocument();
  });
});
