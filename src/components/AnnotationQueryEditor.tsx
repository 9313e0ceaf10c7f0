import type { QueryEditorProps } from '@grafana/data';
import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Combobox, Stack } from '@grafana/ui';
import React, { useId } from 'react';

import type { DataSource } from '../datasource';
import { EVENTS, eventQuery, kindOf, type EventKind } from '../events';
import { migrateQuery } from '../migrate';
import * as texts from '../texts';
import type { PDOptions, PDQuery } from '../types';
import { QueryEditor } from './QueryEditor/QueryEditor';

type Props = QueryEditorProps<DataSource, PDQuery, PDOptions>;

const OWN = 'own';

const CHOICES = [
  ...(Object.keys(EVENTS) as EventKind[]).map((value) => ({ value, ...texts.annotation.kinds[value] })),
  { value: OWN, label: texts.annotation.own },
];

/** Chooses an event by what it means; the query that finds it stays in sight and may be changed. */
export function AnnotationQueryEditor(props: Props) {
  const id = useId();
  return (
    <Stack direction="column" gap={0.5}>
      <EditorRow>
        <EditorField label={texts.annotation.kind} tooltip={texts.annotation.kindHelp}>
          <Combobox
            id={`${id}-kind`}
            width={32}
            options={CHOICES}
            value={kindOf(migrateQuery(props.query)) ?? OWN}
            onChange={({ value }) => {
              if (value in EVENTS) {
                props.onChange({ ...props.query, ...eventQuery(value as EventKind) });
                props.onRunQuery();
              }
            }}
          />
        </EditorField>
      </EditorRow>
      <QueryEditor {...props} />
    </Stack>
  );
}
