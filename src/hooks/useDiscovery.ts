import type { SavedSource } from '../savedSource';
import type { Discovery, PDOptions } from '../types';
import { useAnswer, type Answer } from './useAnswer';

const PAUSE_MS = 300;

/** What the server holds, looked at again after each save and while role matchers are typed; nothing without a URL. */
export function useDiscovery(source: SavedSource, roles: PDOptions['roles']): Answer<Discovery> {
  const key = source.hasURL ? `${source.key} ${JSON.stringify(roles ?? {})}` : '';
  return useAnswer(key, (signal, isAgain) => source.discovery(roles, isAgain, signal), PAUSE_MS);
}
