import type { ChoiceField, RequestSize } from './types';
import { CONNECTORS, INDEX_DTYPES, KV_DTYPES, PLAIN_KV_DTYPES, STATE_DTYPES } from './wire.gen';

/** What the fields of a request size belong to. How many bytes come of them, the server alone knows. */

export type SizeKind = 'preset' | 'config' | 'geometry' | 'bytes';
export const SIZE_KINDS: SizeKind[] = ['preset', 'config', 'geometry', 'bytes'];

export const GEOMETRY_FIELDS = ['layers', 'kvHeads', 'headDim', 'inputTokens', 'kvDtype'] as const;

/** Beside a config or preset: the fields that most deployments need, and those that few do. */
export const MAIN_FIELDS = ['inputTokens', 'kvDtype', 'engine', 'connector', 'prefillTP', 'decodeTP'] as const;
export const FURTHER_FIELDS = [
  ...(['prefixHitTokens', 'blockSize', 'attentionBlockSize', 'tp', 'copies', 'prefillDP', 'decodeDP', 'pp'] as const),
  ...(['stateDtype', 'indexDtype', 'allTokens', 'draft'] as const),
];

/** The names that a field takes. */
export function choicesOf(field: ChoiceField, size: RequestSize, kind: SizeKind): readonly string[] {
  switch (field) {
    case 'kvDtype':
      return kind === 'geometry' ? PLAIN_KV_DTYPES : KV_DTYPES;
    case 'engine':
      return Object.keys(CONNECTORS);
    case 'connector':
      return connectorsOf(size.engine);
    case 'stateDtype':
      return STATE_DTYPES;
    case 'indexDtype':
      return INDEX_DTYPES;
  }
}

function connectorsOf(engine?: string): readonly string[] {
  return Object.entries(CONNECTORS).find(([name]) => name === engine)?.[1] ?? [];
}

/** Undefined while nothing in the entry tells. */
export function kindOf(size: RequestSize): SizeKind | undefined {
  if (size.config !== undefined) {
    return 'config';
  }
  if (size.preset !== undefined) {
    return 'preset';
  }
  if (size.bytesPerRequest !== undefined) {
    return 'bytes';
  }
  return [size.layers, size.kvHeads, size.headDim].some((value) => value !== undefined) ? 'geometry' : undefined;
}

const SERVED = [...MAIN_FIELDS, ...FURTHER_FIELDS];

/** What an entry may hold beside its model. */
const FIELDS: Record<SizeKind, ReadonlyArray<keyof RequestSize>> = {
  preset: ['preset', ...SERVED],
  config: ['config', ...SERVED],
  geometry: GEOMETRY_FIELDS,
  bytes: ['bytesPerRequest'],
};

function only(size: Partial<RequestSize>, wanted: (field: string) => boolean): Partial<RequestSize> {
  return Object.fromEntries(Object.entries(size).filter(([field, value]) => wanted(field) && value !== undefined));
}

/** The entry with its size given in one way: two at once would leave open which one counts. */
export function inKind(size: RequestSize, kind: SizeKind): RequestSize {
  const kept = { ...only(size, (field) => FIELDS[kind].some((own) => own === field)), model: size.model };
  if (kind === 'geometry' && !PLAIN_KV_DTYPES.some((name) => name === kept.kvDtype)) {
    return { ...kept, kvDtype: 'bf16' };
  }
  return kept;
}

/** What was entered for other ways than this one. */
export function besideKind(size: RequestSize, kind: SizeKind): Partial<RequestSize> {
  return only(size, (field) => !FIELDS[kind].some((own) => own === field));
}

/** What has to be there before the server is worth asking. */
export function missingFields(size: RequestSize, kind: SizeKind): Array<keyof RequestSize> {
  const needed: Record<SizeKind, ReadonlyArray<keyof RequestSize>> = {
    preset: ['preset', 'inputTokens'],
    config: ['config', 'inputTokens'],
    geometry: GEOMETRY_FIELDS,
    bytes: ['bytesPerRequest'],
  };
  return needed[kind].filter((field) => size[field] === undefined);
}

/** The lines of a refusal by the field that each begins with; under "" what belongs to no field in sight. */
export function refusalByField(message: string, inSight: readonly string[]): Record<string, string> {
  const byField: Record<string, string> = {};
  for (const line of message.split('\n')) {
    const named = /^\w+/.exec(line)?.[0] ?? '';
    const field = inSight.includes(named) ? named : '';
    byField[field] = [byField[field], line].filter(Boolean).join('\n');
  }
  return byField;
}

/** "blockSize is not set: 16 is taken." belongs beside that field. */
export function fieldOfNotice(text: string): string | undefined {
  return /^(\w+) is not set: /.exec(text)?.[1];
}

/** The first entry that matches counts, so that an exact name goes before the patterns that may catch it too. */
export function withEntry(sizes: RequestSize[], entry: RequestSize): { sizes: RequestSize[]; at: number } {
  const own = sizes.findIndex(({ model }) => model === entry.model);
  if (own >= 0) {
    return { sizes: sizes.map((size, at) => (at === own ? entry : size)), at: own };
  }
  const pattern = sizes.findIndex(({ model }) => /^\/.*\/$/.test(model));
  const at = pattern >= 0 ? pattern : sizes.length;
  return { sizes: [...sizes.slice(0, at), entry, ...sizes.slice(at)], at };
}
