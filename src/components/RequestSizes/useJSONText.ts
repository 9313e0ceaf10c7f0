import { useMemo, useState } from 'react';

import * as texts from '../../texts';
import type { RequestSize } from '../../types';

type Config = RequestSize['config'];

/** The server takes no longer body. */
const LONGEST = 1 << 20;

/** The config that a text means: an object, the text itself while it is none, undefined without any. */
export function configOf(text: string): { config: Config; error?: string } {
  if (text.trim() === '') {
    return { config: undefined };
  }
  if (text.length > LONGEST) {
    return { config: '', error: texts.sizes.configTooLong };
  }
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return { config: Object.fromEntries(Object.entries(parsed)) };
    }
    return { config: text, error: texts.sizes.configNotObject };
  } catch (error) {
    return { config: text, error: texts.sizes.configNotJSON(error instanceof Error ? error.message : String(error)) };
  }
}

function textOf(config: Config): string {
  return typeof config === 'object' ? JSON.stringify(config, null, 2) : (config ?? '');
}

/** The text of config.json while it is edited. It follows the stored config only where that changed elsewhere. */
export function useJSONText(config: Config, onChange: (config: Config) => void) {
  const [state, setState] = useState(() => ({ config, text: textOf(config) }));
  if (state.config !== config) {
    // Saving hands back an equal object, which is no reason to lay out the text anew.
    const isEqual = JSON.stringify(state.config) === JSON.stringify(config);
    setState({ config, text: isEqual ? state.text : textOf(config) });
  }
  const error = useMemo(() => configOf(state.text).error, [state.text]);

  const edit = (text: string) => {
    const next = configOf(text).config;
    setState({ config: next, text });
    onChange(next);
  };
  return { text: state.text, error, edit };
}
