import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow, EditorRows } from '@grafana/plugin-ui';
import { Alert, Button, RadioButtonGroup } from '@grafana/ui';
import React, { useId } from 'react';

import type { DataSource } from '../../datasource';
import { useCatalog } from '../../hooks/useCatalog';
import { migrateQuery } from '../../migrate';
import * as texts from '../../texts';
import type { PDOptions, PDQuery, QueryType } from '../../types';
import { CompiledQuery } from './CompiledQuery';
import { FilterRows } from './FilterRows';
import { LegendAndFormat, RateOptions } from './QueryOptions';
import { PromqlField } from './PromqlField';
import { SignalControls } from './SignalControls';
import { SignalPicker } from './SignalPicker';
import { withSignal } from './withSignal';

type Props = QueryEditorProps<DataSource, PDQuery, PDOptions>;

const MODES: Array<{ value: QueryType; label: string }> = [
  { value: 'signal', label: texts.query.modes.signal },
  { value: 'promql', label: texts.query.modes.promql },
];

export function QueryEditor({ datasource, query: saved, onChange, onRunQuery, range, data }: Props) {
  const id = useId();
  const query = migrateQuery(saved);
  const { catalog, error, retry } = useCatalog(datasource);
  const signal = catalog?.signals.find((candidate) => candidate.id === query.signal);

  const update = (patch: Partial<PDQuery>) => {
    onChange({ ...query, ...patch });
    onRunQuery();
  };

  if (query.queryType === 'inventory') {
    return <Alert severity="info" title={texts.query.inventory(query.inventory)} bottomSpacing={0} />;
  }

  return (
    <EditorRows>
      <EditorRow>
        <EditorField label={texts.query.mode}>
          <RadioButtonGroup
            id={`${id}-mode`}
            aria-label={texts.query.mode}
            options={MODES}
            value={query.queryType}
            onChange={(queryType) => update({ queryType })}
          />
        </EditorField>
        {query.queryType === 'signal' && (
          <>
            <SignalPicker
              id={`${id}-signal`}
              datasource={datasource}
              signals={catalog?.signals}
              value={query.signal}
              onChange={(chosen) => update(withSignal(query, chosen))}
            />
            {signal && <SignalControls id={id} signal={signal} query={query} onChange={update} />}
          </>
        )}
      </EditorRow>

      {error !== undefined && (
        <Alert severity="warning" title={texts.query.catalogFailed} bottomSpacing={0}>
          <p>
            {error}. {texts.query.catalogFailedHelp}
          </p>
          <Button size="sm" variant="secondary" icon="sync" onClick={retry}>
            {texts.query.retry}
          </Button>
        </Alert>
      )}

      {query.queryType === 'promql' && (
        <PromqlField id={`${id}-expr`} value={query.expr} onCommit={(expr) => update({ expr })} />
      )}
      <EditorRow>
        {query.queryType === 'signal' && (
          <FilterRows
            id={id}
            datasource={datasource}
            query={query}
            labels={signal?.labels ?? []}
            onChange={(filters) => update({ filters })}
          />
        )}
        <LegendAndFormat id={id} query={query} onChange={update} />
      </EditorRow>
      {query.queryType === 'signal' && <RateOptions id={id} query={query} signal={signal} onChange={update} />}

      <CompiledQuery datasource={datasource} query={query} range={range} request={data?.request} />
    </EditorRows>
  );
}
