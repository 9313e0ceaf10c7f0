import { useState, type ChangeEvent, type KeyboardEvent } from 'react';

interface DraftOptions {
  /** The stored value, as text. */
  value: string;
  /** Says what is wrong with a text, or nothing. */
  check?: (text: string) => string | undefined;
  onCommit: (text: string) => void;
  /**
   * `blur`: commit on leaving the field or on Enter, so that a query does not run on each keystroke; wrong text is
   * kept back. `change`: commit at once; wrong text commits as empty, so that no stale value stays behind it.
   */
  on: 'blur' | 'change';
}

type TextElement = HTMLInputElement | HTMLTextAreaElement;

/** The text in a field while it is being edited, apart from the value that is stored. */
export function useDraft({ value, check, onCommit, on }: DraftOptions) {
  const [draft, setDraft] = useState(value);
  const [committed, setCommitted] = useState(value);
  const [touched, setTouched] = useState(false);

  // The value changed from outside (undo, another query, provisioning): show it.
  if (value !== committed) {
    setCommitted(value);
    setDraft(value);
  }

  const wrong = check?.(draft);
  const commit = (text: string) => {
    if (text !== committed) {
      setCommitted(text);
      onCommit(text);
    }
  };
  const commitDraft = () => {
    if (on === 'change') {
      return;
    }
    setTouched(true);
    if (!wrong) {
      commit(draft.trim());
    }
  };

  return {
    error: touched || (draft === value && draft !== '') ? wrong : undefined,
    inputProps: {
      value: draft,
      onChange: (event: ChangeEvent<TextElement>) => {
        const text = event.target.value;
        setDraft(text);
        if (on === 'change') {
          // Said at once: on leaving the field it would push the page down under the button that is being pressed.
          setTouched(true);
          commit(check?.(text) ? '' : text.trim());
        }
      },
      onBlur: commitDraft,
      onKeyDown: (event: KeyboardEvent<TextElement>) => {
        const isMultiline = event.currentTarget instanceof HTMLTextAreaElement;
        if (event.key === 'Enter' && (!isMultiline || event.ctrlKey || event.metaKey)) {
          event.preventDefault();
          commitDraft();
        }
      },
    },
  };
}
