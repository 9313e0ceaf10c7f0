import { useEffect, useRef, useState, type ClipboardEvent } from 'react';

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

/** Up to here a text is read on each keystroke; a longer one waits for a pause, so that typing does not lag. */
const QUICK = 20_000;
const PAUSE_MS = 300;

interface JSONText {
  config: Config;
  text: string;
  error?: string;
}

/** The text of config.json while it is edited. It follows the stored config only where that changed elsewhere. */
export function useJSONText(config: Config, onChange: (config: Config) => void) {
  const [state, setState] = useState<JSONText>(() => ({ config, ...read(textOf(config)) }));
  if (state.config !== config) {
    // Saving hands back an equal object, which is no reason to lay out the text anew.
    const isEqual = JSON.stringify(state.config) === JSON.stringify(config);
    setState({ ...(isEqual ? state : read(textOf(config))), config });
  }

  const store = useRef(onChange);
  useEffect(() => {
    store.current = onChange;
  });
  const waiting = useRef<{ text: string; timer: number }>(undefined);
  const commit = (text: string) => {
    window.clearTimeout(waiting.current?.timer);
    waiting.current = undefined;
    const next = configOf(text);
    setState({ text, ...next });
    store.current(next.config);
  };
  useEffect(() => () => window.clearTimeout(waiting.current?.timer), []);

  return {
    text: state.text,
    error: state.error,
    edit: (text: string) => {
      if (text.length <= QUICK) {
        commit(text);
        return;
      }
      window.clearTimeout(waiting.current?.timer);
      setState({ ...state, text });
      waiting.current = { text, timer: window.setTimeout(() => commit(text), PAUSE_MS) };
    },
    /** Chromium takes seconds to put a long text into a field; set as the field's value it is there at once. */
    paste: (event: ClipboardEvent<HTMLTextAreaElement>, take: (text: string) => void) => {
      const pasted = event.clipboardData.getData('text');
      if (pasted.length > QUICK) {
        event.preventDefault();
        const { value, selectionStart, selectionEnd } = event.currentTarget;
        take(value.slice(0, selectionStart) + pasted + value.slice(selectionEnd));
      }
    },
    /** Stores what still waits, as on leaving the field. */
    flush: () => {
      if (waiting.current) {
        commit(waiting.current.text);
      }
    },
  };
}

function read(text: string): { text: string; error?: string } {
  return { text, error: configOf(text).error };
}
