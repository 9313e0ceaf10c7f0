import type { DataSourcePluginOptionsEditorProps } from '@grafana/data';
import {
  AdvancedHttpSettings,
  Auth,
  ConfigSection,
  ConfigSubSection,
  ConnectionSettings,
  convertLegacyAuthProps,
  DataSourceDescription,
} from '@grafana/plugin-ui';
import { config } from '@grafana/runtime';
import { Combobox, Divider, Field, SecureSocksProxySettings, Stack } from '@grafana/ui';
import React, { useMemo } from 'react';

import { useDiscovery } from '../hooks/useDiscovery';
import pluginJson from '../plugin.json';
import { SavedSource } from '../savedSource';
import * as texts from '../texts';
import type { PDOptions, PDSecureOptions } from '../types';
import { isDuration, checkLimit, checkQueryParameters } from '../validate';
import { HTTP_METHODS, KV_SOURCES, RANK_STRATEGIES } from '../wire.gen';
import { Found } from './Discovery/Found';
import { RolesSection } from './Discovery/RolesSection';
import { PrefixesEditor } from './PrefixesEditor';
import { RequestSizesEditor } from './RequestSizes/RequestSizesEditor';
import { TextSetting } from './TextSetting';

type Props = DataSourcePluginOptionsEditorProps<PDOptions, PDSecureOptions>;

function choices<T extends string>(described: Record<T, { label: string; description: string }>, names: readonly T[]) {
  return names.map((value) => ({ value, ...described[value] }));
}

const METHODS = HTTP_METHODS.map((value) => ({ value }));
const STRATEGIES = choices(texts.rankStrategies, RANK_STRATEGIES);
const SOURCES = choices(texts.kvSources, KV_SOURCES);

export function ConfigEditor({ options, onOptionsChange }: Props) {
  const { jsonData, readOnly, uid, version } = options;
  // The URL counts as it was saved, not as it is being typed.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const source = useMemo(() => new SavedSource(uid, version, options.url.trim() !== ''), [uid, version]);
  const discovery = useDiscovery(source, jsonData.roles);

  // A field that is cleared leaves no trace, so that its default applies and the stored JSON stays small.
  const update = (patch: Partial<PDOptions>) => {
    const merged = Object.entries({ ...jsonData, ...patch }).filter(([, value]) => value !== undefined && value !== '');
    onOptionsChange({ ...options, jsonData: Object.fromEntries(merged) });
  };

  return (
    <>
      <DataSourceDescription
        dataSourceName={texts.config.name}
        docsLink={`${config.appSubUrl ?? ''}/plugins/${pluginJson.id}`}
        hasRequiredFields
      />

      <Divider />
      <ConnectionSettings
        config={options}
        onChange={onOptionsChange}
        urlLabel={texts.config.urlLabel}
        urlPlaceholder={texts.config.urlPlaceholder}
        urlTooltip={texts.config.urlHelp}
      />

      <Divider />
      <Auth {...convertLegacyAuthProps({ config: options, onChange: onOptionsChange })} />

      <Divider />
      <ConfigSection title={texts.found.title} description={texts.found.help}>
        {source.hasURL ? <Found discovery={discovery} /> : <p>{texts.found.noURL}</p>}
      </ConfigSection>

      <Divider />
      <RolesSection
        disabled={readOnly}
        roles={jsonData.roles}
        found={discovery.answer}
        onChange={(roles) => update({ roles })}
      />

      <Divider />
      <ConfigSection title={texts.sizes.title} description={texts.sizes.help}>
        <RequestSizesEditor
          disabled={readOnly}
          source={source}
          sizes={jsonData.requestSizes ?? []}
          onChange={(sizes) => update({ requestSizes: sizes.length > 0 ? sizes : undefined })}
        />
      </ConfigSection>

      <Divider />
      <ConfigSection
        title={texts.config.advanced}
        description={texts.config.advancedHelp}
        isCollapsible
        isInitiallyOpen={false}
      >
        <Stack direction="column" gap={3}>
          <ConfigSubSection title={texts.config.queries}>
            <TextSetting
              disabled={readOnly}
              id="pd-scrape-interval"
              label={texts.config.scrapeInterval}
              description={texts.config.scrapeIntervalHelp}
              placeholder={texts.config.scrapeIntervalPlaceholder}
              value={jsonData.scrapeInterval ?? ''}
              check={(text) =>
                text.trim() === '' || isDuration(text.trim()) ? undefined : texts.config.durationInvalid
              }
              onChange={(scrapeInterval) => update({ scrapeInterval })}
              width={20}
            />
            <Field label={texts.config.httpMethod} description={texts.config.httpMethodHelp}>
              <Combobox
                disabled={readOnly}
                id="pd-http-method"
                width={20}
                options={METHODS}
                value={jsonData.httpMethod ?? HTTP_METHODS[0]}
                onChange={({ value }) => update({ httpMethod: value })}
              />
            </Field>
            <TextSetting
              disabled={readOnly}
              id="pd-series-limit"
              label={texts.config.seriesLimit}
              description={texts.config.seriesLimitHelp}
              placeholder={texts.config.seriesLimitPlaceholder}
              value={jsonData.seriesLimit === undefined ? '' : String(jsonData.seriesLimit)}
              check={checkLimit}
              onChange={(limit) => update({ seriesLimit: limit === '' ? undefined : Number(limit) })}
              width={20}
            />
            <TextSetting
              disabled={readOnly}
              id="pd-custom-query-parameters"
              label={texts.config.customQueryParameters}
              description={texts.config.customQueryParametersHelp}
              placeholder={texts.config.customQueryParametersPlaceholder}
              value={jsonData.customQueryParameters ?? ''}
              check={checkQueryParameters}
              onChange={(customQueryParameters) => update({ customQueryParameters })}
            />
          </ConfigSubSection>

          <ConfigSubSection title={texts.config.engines}>
            <Field label={texts.config.rankStrategy} description={texts.config.rankStrategyHelp}>
              <Combobox
                disabled={readOnly}
                id="pd-rank-strategy"
                width={40}
                options={STRATEGIES}
                value={jsonData.rankStrategy ?? RANK_STRATEGIES[0]}
                onChange={({ value }) => update({ rankStrategy: value })}
              />
            </Field>
            <Field label={texts.config.kvSource} description={texts.config.kvSourceHelp}>
              <Combobox
                disabled={readOnly}
                id="pd-kv-source"
                width={40}
                options={SOURCES}
                value={jsonData.kvSource ?? KV_SOURCES[0]}
                onChange={({ value }) => update({ kvSource: value })}
              />
            </Field>
          </ConfigSubSection>

          <ConfigSubSection
            title={texts.config.prefixes}
            description={texts.config.prefixesHelp}
            isCollapsible
            isInitiallyOpen={false}
          >
            <PrefixesEditor
              disabled={readOnly}
              prefixes={jsonData.prefixes ?? {}}
              onChange={(prefixes) => update({ prefixes })}
            />
          </ConfigSubSection>

          <AdvancedHttpSettings
            config={options}
            onChange={(next) => {
              // The component stores NaN for a cleared timeout, which JSON turns into null.
              const { timeout, ...rest } = next.jsonData;
              const isSet = typeof timeout === 'number' && Number.isFinite(timeout) && timeout > 0;
              onOptionsChange({ ...next, jsonData: isSet ? { ...rest, timeout } : rest });
            }}
          />
          {config.secureSocksDSProxyEnabled && (
            <SecureSocksProxySettings options={options} onOptionsChange={onOptionsChange} />
          )}
        </Stack>
      </ConfigSection>
    </>
  );
}
