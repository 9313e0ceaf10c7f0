import { EditorField, EditorRow } from '@grafana/plugin-ui';
import { Input, RadioButtonGroup } from '@grafana/ui';
import React from 'react';

import { useDraft } from '../../hooks/useDraft';
import { formatBytes } from '../../formatBytes';
import * as texts from '../../texts';
import type { PDQuery, Signal } from '../../types';
import { checkCount, checkDuration } from '../../validate';
import { RATE_MODES } from '../../wire.gen';
import { Fold } from '../Fold';

interface Props {
  id: string;
  query: PDQuery;
  signal?: Signal;
  onChange: (patch: Partial<PDQuery>) => void;
}

const RATE_MODE_OPTIONS = RATE_MODES.map((value) => ({ value, ...texts.rateModes[value] }));

const bytesText = (bytes: number | string) => (typeof bytes === 'number' ? formatBytes(bytes) : bytes);

/** A gauge has no rate, so it has none of these. */
export function RateOptions({ id, query, signal, onChange }: Props) {
  const window = useDraft({
    value: query.window,
    check: (text) => (checkDuration(text) ? texts.query.windowInvalid : undefined),
    onCommit: (text) => onChange({ window: text }),
    on: 'blur',
  });
  const bytes = useDraft({
    value: query.bytesPerRequest === 0 ? '' : String(query.bytesPerRequest),
    check: (text) => (text.trim() === '' || text.includes('$') ? undefined : checkCount(text)),
    onCommit: (text) => onChange({ bytesPerRequest: text.includes('$') ? text.trim() : Number(text) }),
    on: 'blur',
  });
  if (signal?.kind === 'gauge' || signal?.kind === 'total') {
    return null;
  }
  const needsBytes = signal?.perRequestSize === true;
  const summary = [
    texts.rateModes[query.rateMode].label,
    query.window,
    needsBytes && query.bytesPerRequest !== 0 && bytesText(query.bytesPerRequest),
  ];

  return (
    <EditorRow>
      <Fold
        label={needsBytes ? texts.query.optionsWithBytes : texts.query.options}
        summary={summary.filter(Boolean).join(', ')}
      >
        <EditorRow>
          <EditorField label={texts.query.rateMode}>
            <RadioButtonGroup
              id={`${id}-rate-mode`}
              aria-label={texts.query.rateMode}
              options={RATE_MODE_OPTIONS}
              value={query.rateMode}
              onChange={(rateMode) => onChange({ rateMode })}
            />
          </EditorField>
          <EditorField
            label={texts.query.window}
            tooltip={texts.query.windowHelp}
            invalid={window.error !== undefined}
            error={window.error}
          >
            <Input id={`${id}-window`} width={14} placeholder={texts.query.windowPlaceholder} {...window.inputProps} />
          </EditorField>
          {needsBytes && (
            <EditorField
              label={texts.query.bytesPerRequest}
              tooltip={texts.query.bytesPerRequestHelp}
              invalid={bytes.error !== undefined}
              error={bytes.error}
            >
              <Input
                id={`${id}-bytes`}
                width={22}
                inputMode="numeric"
                placeholder={texts.query.bytesPerRequestPlaceholder}
                {...bytes.inputProps}
              />
            </EditorField>
          )}
        </EditorRow>
      </Fold>
    </EditorRow>
  );
}
