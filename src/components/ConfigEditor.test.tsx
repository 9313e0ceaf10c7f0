import type { DataSourceSettings } from '@grafana/data';
import { act, render, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import React, { useState } from 'react';

import { fakeBackend } from '../testing/fakeBackend';
import * as texts from '../texts';
import type { PDOptions, PDSecureOptions } from '../types';
import { ConfigEditor } from './ConfigEditor';

type Settings = DataSourceSettings<PDOptions, PDSecureOptions>;

const settings: Settings = {
  id: 1,
  uid: 'pd',
  orgId: 1,
  name: 'PD Monitor',
  type: 'ptd-pdmonitor-datasource',
  typeName: 'PD Monitor',
  typeLogoUrl: '',
  access: 'proxy',
  url: 'http://localhost:9090',
  user: '',
  database: '',
  basicAuth: false,
  basicAuthUser: '',
  isDefault: false,
  jsonData: {},
  secureJsonData: {},
  secureJsonFields: {},
  readOnly: false,
  withCredentials: false,
};

/** Renders the editor with the state that Grafana keeps for it. */
function renderEditor(jsonData: PDOptions = {}, readOnly = false, url = settings.url) {
  let latest: Settings = { ...settings, jsonData, readOnly, url };
  function Page() {
    const [options, setOptions] = useState(latest);
    latest = options;
    return <ConfigEditor options={options} onOptionsChange={setOptions} />;
  }
  render(<Page />);
  return { user: userEvent.setup({ pointerEventsCheck: 0 }), jsonData: () => latest.jsonData };
}

async function openAdvanced(user: ReturnType<typeof userEvent.setup>) {
  await user.click(screen.getByRole('button', { name: `Expand section ${texts.config.advanced}` }));
}

beforeEach(() => void fakeBackend({}));

describe('ConfigEditor', () => {
  it('asks nothing of a data source without a URL, and warns of nothing either', async () => {
    const fetch = fakeBackend({});
    const { user } = renderEditor({}, false, '');
    await user.type(screen.getByLabelText(/Prometheus server URL/), 'http://prometheus:9090');
    expect(screen.getByText(texts.found.noURL)).toBeInTheDocument();
    expect(screen.getByText(texts.served.noURL)).toBeInTheDocument();
    await act(() => new Promise((resolve) => setTimeout(resolve, 400)));
    expect(fetch).not.toHaveBeenCalled();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('shows the address, the log-in, and the default role matchers as placeholders', () => {
    renderEditor();
    expect(screen.getByLabelText(/Prometheus server URL/)).toHaveValue('http://localhost:9090');
    expect(screen.getByText('Authentication')).toBeInTheDocument();
    expect(screen.getByLabelText(texts.config.prefill)).toHaveAttribute('placeholder', 'instance=~"prefill.*"');
    expect(screen.getByLabelText(texts.config.decode)).toHaveAttribute('placeholder', 'instance=~"decode.*"');
  });

  it('offers nothing to edit on a provisioned data source', async () => {
    const { user } = renderEditor({ requestSizes: [{ model: 'm', bytesPerRequest: 1024 }] }, true);
    await openAdvanced(user);
    expect(screen.getByLabelText(texts.config.prefill)).toBeDisabled();
    expect(screen.getByRole('combobox', { name: new RegExp(`^${texts.config.rankStrategy}`) })).toBeDisabled();
    expect(screen.getByRole('button', { name: texts.sizes.add })).toBeDisabled();
  });

  it('keeps the sizes of requests and leaves no trace of the last', async () => {
    const { user, jsonData } = renderEditor({ kvSource: 'nixl' });
    await user.click(screen.getByRole('button', { name: texts.sizes.add }));
    expect(jsonData()).toEqual({ kvSource: 'nixl', requestSizes: [{ model: '' }] });
    await user.click(screen.getByRole('button', { name: texts.sizes.remove(1) }));
    expect(jsonData()).toEqual({ kvSource: 'nixl' });
  });

  it('stores role matchers and removes them when they are cleared', async () => {
    const { user, jsonData } = renderEditor();
    const field = screen.getByLabelText(texts.config.prefill);
    await user.click(field);
    await user.paste('pod=~"p-.*"');
    expect(jsonData()).toEqual({ roles: { prefill: 'pod=~"p-.*"' } });
    await user.clear(field);
    expect(jsonData()).toEqual({});
  });

  it('marks a role matcher that is none and does not store it', async () => {
    const { user, jsonData } = renderEditor();
    await user.click(screen.getByLabelText(texts.config.decode));
    await user.paste('decode.*');
    expect(screen.getByText(texts.config.matcherInvalid)).toBeInTheDocument();
    expect(screen.getByLabelText(texts.config.decode)).toBeInvalid();
    expect(jsonData()).toEqual({});
  });

  it('keeps the further settings folded and checks the scrape interval', async () => {
    const { user, jsonData } = renderEditor();
    expect(screen.queryByLabelText(texts.config.scrapeInterval)).not.toBeInTheDocument();
    await openAdvanced(user);
    const field = screen.getByLabelText(new RegExp(`^${texts.config.scrapeInterval}`));
    await user.type(field, '15');
    expect(screen.getByText(texts.config.durationInvalid)).toBeInTheDocument();
    await user.type(field, 's');
    expect(screen.queryByText(texts.config.durationInvalid)).not.toBeInTheDocument();
    expect(jsonData()).toEqual({ scrapeInterval: '15s' });
  });

  it('chooses the rank strategy from described options', async () => {
    const { user, jsonData } = renderEditor();
    await openAdvanced(user);
    await user.click(screen.getByRole('combobox', { name: new RegExp(`^${texts.config.rankStrategy}`) }));
    await user.click(await screen.findByRole('option', { name: /^Collapse/ }));
    expect(jsonData()).toEqual({ rankStrategy: 'collapse' });
  });

  it('stores no timeout when the field is cleared', async () => {
    // The component of plugin-ui hands its field from controlled to uncontrolled here, which React remarks on.
    const remark = jest.spyOn(console, 'error').mockImplementation();
    const { user, jsonData } = renderEditor({ timeout: 30 });
    await openAdvanced(user);
    await user.clear(screen.getByLabelText('Timeout in seconds'));
    expect(jsonData()).toEqual({});
    remark.mockRestore();
  });

  it('lists prefixes in order and reads "none" as no prefix', async () => {
    const { user, jsonData } = renderEditor();
    await openAdvanced(user);
    await user.click(screen.getByRole('button', { name: `Expand section ${texts.config.prefixes}` }));
    await user.click(screen.getByLabelText(texts.config.prefixesLabel('vLLM')));
    await user.paste('ray_vllm_, none');
    expect(jsonData()).toEqual({ prefixes: { vllm: ['ray_vllm_', ''] } });
  });
});
