import { Button, Field, TextArea, useStyles2 } from '@grafana/ui';
import React, { useRef, useState, type ChangeEvent } from 'react';

import * as texts from '../../texts';
import type { RequestSize } from '../../types';
import { getStyles } from './styles';
import { useJSONText } from './useJSONText';

interface Props {
  id: string;
  disabled: boolean;
  config: RequestSize['config'];
  /** What the server says is wrong with the config. */
  fault?: string;
  onChange: (config: RequestSize['config']) => void;
}

/** The model's config.json, pasted or loaded from a file. */
export function ConfigField({ id, disabled, config, fault, onChange }: Props) {
  const styles = useStyles2(getStyles);
  const [unreadable, setUnreadable] = useState<string>();
  const { text, error: wrong, edit, paste, flush } = useJSONText(config, onChange);
  const error = unreadable ?? wrong ?? fault;
  const take = (typed: string) => {
    setUnreadable(undefined);
    edit(typed);
  };
  return (
    <div>
      <Field
        label={texts.sizes.config}
        description={texts.sizes.configHelp}
        htmlFor={id}
        invalid={error !== undefined}
        error={error}
        noMargin
      >
        <TextArea
          id={id}
          className={styles.code}
          rows={8}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={error !== undefined}
          disabled={disabled}
          placeholder={texts.sizes.configPlaceholder}
          value={text}
          onChange={({ currentTarget }) => take(currentTarget.value)}
          onPaste={(event) => paste(event, take)}
          onBlur={flush}
        />
      </Field>
      {!disabled && (
        <FileButton onText={take} onFailure={(reason) => setUnreadable(texts.sizes.configUnreadable(reason))} />
      )}
    </div>
  );
}

interface FileProps {
  onText: (text: string) => void;
  onFailure: (reason: string) => void;
}

function FileButton({ onText, onFailure }: FileProps) {
  const styles = useStyles2(getStyles);
  const input = useRef<HTMLInputElement>(null);
  const load = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    const chosen = currentTarget.files?.[0];
    if (chosen) {
      const reader = new FileReader();
      reader.onload = () => onText(String(reader.result));
      reader.onerror = () => onFailure(reader.error?.message ?? chosen.name);
      reader.readAsText(chosen);
    }
    currentTarget.value = ''; // the same file may be chosen again once it was corrected
  };
  return (
    <>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        className={styles.hidden}
        tabIndex={-1}
        aria-label={texts.sizes.configLoad}
        onChange={load}
      />
      <Button
        type="button"
        size="sm"
        variant="secondary"
        icon="upload"
        className={styles.below}
        onClick={() => input.current?.click()}
      >
        {texts.sizes.configLoad}
      </Button>
    </>
  );
}
