import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Alert, RadioButtonGroup } from '@grafana/ui';
import React, { useEffect, useId, useState } from 'react';

import { ALERT_DEFAULTS, isAlerting } from '../../alerting';
import type { DataSource } from '../../datasource';
import { useCatalog } from '../../hooks/useCatalog';
import { useCompiled } from '../../hooks/useCompiled';
import { usePromqlMode } from '../../hooks/usePromqlMode';
import { ownFilters } from '../../interpolate';
import { isNewQuery, migrateQuery } from '../../migrate';
import { signalName, titleOf } from '../../names';
import { isPromQuery } from '../../promQuery';
import * as texts from '../../texts';
import type { Notice, PDOptions, PDQuery, QueryType } from '../../types';
import { CatalogState } from '../CatalogState';
import { Rows } from '../Rows';
import { SignalPicker } from '../SignalPicker/SignalPicker';
import { CompiledQuery } from './CompiledQuery';
import { FilterRows } from './FilterRows';
import { LegendAndFormat } from './LegendAndFormat';
import { PromqlField } from './PromqlField';
import { RateOptions } from './RateOptions';
import { SignalControls } from './SignalControls';
import { Translate } from './Translate';
import { withSignal } from './withSignal';

type Props = QueryEditorProps<DataSource, PDQuery, PDOptions>;

const MODES: Array<{ value: QueryType; label: string }> = [
  { value: 'signal', label: texts.query.modes.signal },
  { value: 'promql', label: texts.query.modes.promql },
];

export function QueryEditor({ datasource, query: saved, onChange, onRunQuery, range, data, app }: Props) {
  const id = useId();
  const query = migrateQuery(saved);
  const isNew = isNewQuery(saved);
  const isForeign = isPromQuery(saved);
  useEffect(() => {
    // What is shown is what is saved, also where Grafana saves no default.
    if (isNew || isForeign) {
      onChange(isNew && isAlerting(app) ? { ...query, ...ALERT_DEFAULTS } : query);
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once for each new query
  }, [isNew, isForeign]);
  const [hasFilters, setHasFilters] = useState(false);
  // They stay in sight while the last of them is changed.
  if (!hasFilters && query.queryType === 'promql' && ownFilters(query).length > 0) {
    setHasFilters(true);
  }
  const known = useCatalog(datasource);
  const signal = known.catalog?.signals.find((candidate) => candidate.id === query.signal);
  const compiled = useCompiled(datasource, query, { range, request: data?.request, app });

  const update = (patch: Partial<PDQuery>) => {
    onChange({ ...query, ...patch });
    onRunQuery();
  };
  const { mode, setMode, setExpr, expressions } = usePromqlMode(query, compiled, update);
  const name = signal ? titleOf(signal) : signalName(query.signal);

  if (query.queryType === 'inventory') {
    return <Alert severity="info" title={texts.query.inventory(query.inventory)} bottomSpacing={0} />;
  }

  return (
    <Rows>
      <EditorRow>
        <EditorField label={texts.query.mode}>
          <RadioButtonGroup
            id={`${id}-mode`}
            aria-label={texts.query.mode}
            options={MODES}
            value={mode}
            onChange={setMode}
          />
        </EditorField>
        {query.queryType === 'signal' && (
          <>
            <SignalPicker
              id={`${id}-signal`}
              signals={known.catalog?.signals}
              value={query.signal}
              onChange={(chosen) => update(withSignal(query, chosen))}
            />
            {signal && <SignalControls id={id} signal={signal} query={query} onChange={update} />}
          </>
        )}
      </EditorRow>

      <CatalogState known={known} datasource={datasource} />

      {query.queryType === 'promql' && (
        <PromqlField
          id={`${id}-expr`}
          value={query.expr}
          madeFrom={query.exprMade ? name : undefined}
          expressions={expressions}
          onCommit={setExpr}
        />
      )}
      {query.queryType === 'promql' && !query.exprMade && known.catalog && (
        <Translate catalog={known.catalog} query={query} onChange={update} />
      )}
      <EditorRow>
        {(query.queryType === 'signal' || (hasFilters && query.signal === '')) && (
          <FilterRows
            id={id}
            datasource={datasource}
            scope={query}
            filters={query.filters}
            labels={signal?.labels ?? []}
            onChange={(filters) => update({ filters })}
          />
        )}
        <LegendAndFormat id={id} query={query} onChange={update} />
      </EditorRow>
      {query.queryType === 'signal' && <RateOptions id={id} query={query} signal={signal} onChange={update} />}

      <CompiledQuery
        state={compiled}
        queryType={query.queryType}
        range={range}
        remarks={isAlerting(app) ? alertRemarks(datasource, query) : []}
      />
    </Rows>
  );
}

/** What an alert rule cannot do with a query that a panel can. */
function alertRemarks(datasource: DataSource, query: PDQuery): Notice[] {
  const isHeatmap = query.queryType === 'signal' && query.stat === 'heatmap';
  return [
    ...(datasource.hasVariables(query) ? [{ severity: 'warning' as const, text: texts.query.alertVariables }] : []),
    ...(isHeatmap ? [{ severity: 'warning' as const, text: texts.query.alertHeatmap }] : []),
  ];
}
