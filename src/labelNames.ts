import { LABELS } from './wire.gen';

/** What engines call a label that we call by another name, the commonest first: other labels mean different things. */
const PHYSICAL: Record<string, string[]> = { model: LABELS.model.filter((name) => name !== 'model') };

/** Our name of a label of an engine. */
export function logicalLabel(name: string): string {
  return Object.keys(PHYSICAL).find((logical) => PHYSICAL[logical].includes(name)) ?? name;
}

/** What a label of ours may be called by an engine. */
export function physicalLabels(name: string): string[] {
  return [...(PHYSICAL[name] ?? []), name];
}
