import { useMemo } from 'react';

import { errorMessage, refusal } from '../../errors';
import { useAnswer } from '../../hooks/useAnswer';
import { fieldOfNotice, missingFields, refusalByField, type SizeKind } from '../../requestSize';
import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import type { KVBytes, Notice, RequestSize, ServingField } from '../../types';

const PAUSE_MS = 300;

interface SizeAnswer {
  answer?: KVBytes;
  loading: boolean;
  /** The notices that no field in sight shows. */
  notices: Notice[];
  waiting?: string;
  faults: Record<string, string>;
  defaults: Record<string, string>;
  refused?: string;
  unreachable?: string;
}

/** Asks the server for the bytes of an entry and sorts what it says by the fields that are in sight. */
export function useSizeAnswer(
  source: SavedSource,
  size: RequestSize,
  kind: SizeKind,
  inSight: readonly string[]
): SizeAnswer {
  const missing = missingFields(size, kind);
  const isReady = missing.length === 0 && typeof size.config !== 'string';
  const key = useMemo(() => (isReady ? JSON.stringify(size) : ''), [isReady, size]);
  const { answer, error, loading } = useAnswer(key, (signal) => source.kvBytes(size, signal), PAUSE_MS);

  const said = error === undefined ? undefined : refusal(error);
  const { '': refused, ...faults } = said === undefined ? {} : refusalByField(said, inSight);
  const defaults: Record<string, string> = {};
  const notices: Notice[] = [];
  for (const notice of answer?.notices ?? []) {
    const field = fieldOfNotice(notice.text);
    if (notice.severity === 'info' && field !== undefined && inSight.includes(field)) {
      defaults[field] = notice.text.slice(`${field} is not set: `.length);
    } else {
      notices.push(notice);
    }
  }
  return {
    ...{ answer, loading, notices, faults, defaults, refused },
    waiting: isReady ? undefined : waitingFor(missing),
    unreachable: error !== undefined && said === undefined ? errorMessage(error) : undefined,
  };
}

function waitingFor(missing: Array<keyof RequestSize>): string {
  const labels: Partial<Record<keyof RequestSize, string>> = { config: texts.sizes.config, preset: texts.sizes.preset };
  const names = missing.map((field) => labels[field] ?? texts.sizes.fieldTexts[field as ServingField]?.label ?? field);
  return names.length > 0 ? texts.sizes.resultMissing(names) : texts.sizes.resultInvalid;
}
