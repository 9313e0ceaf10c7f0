import { Field, IconButton, RadioButtonGroup, useStyles2 } from '@grafana/ui';
import React, { useEffect, useRef, useState } from 'react';

import {
  besideKind,
  FURTHER_FIELDS,
  GEOMETRY_FIELDS,
  inKind,
  kindOf,
  MAIN_FIELDS,
  SIZE_KINDS,
  type SizeKind,
} from '../../requestSize';
import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import type { RequestSize } from '../../types';
import { ConfigField } from './ConfigField';
import { ModelField } from './ModelField';
import { PresetField } from './PresetField';
import { ServingFields } from './ServingFields';
import { SizeField } from './SizeField';
import { SizeResult } from './SizeResult';
import { getStyles } from './styles';
import { useSizeAnswer } from './useSizeAnswer';

interface Props {
  disabled: boolean;
  position: number;
  source: SavedSource;
  size: RequestSize;
  /** It takes the focus, as whoever added it goes on there. */
  isNew: boolean;
  /** The models of the entries before this one. */
  taken: string[];
  onChange: (size: RequestSize) => void;
  onRemove: () => void;
}

const KINDS = SIZE_KINDS.map((value) => ({ value, ...texts.sizes.kinds[value] }));

/** One model, how its size is said, and what the server makes of it. */
export function SizeEntry({ disabled, position, source, size, isNew, taken, onChange, onRemove }: Props) {
  const styles = useStyles2(getStyles);
  const { kind, switchTo } = useKind(size, onChange);
  const [isOpen, setIsOpen] = useState(false);
  const inSight = fieldsInSight(kind, isOpen);
  const { faults, defaults, ...result } = useSizeAnswer(source, size, kind, inSight);
  const id = `pd-size-${position}`;
  const update = (patch: Partial<RequestSize>) => onChange(withoutUnset({ ...size, ...patch }));
  const fields = { id, disabled, kind, size, faults, defaults, onChange: update };

  const entry = useRef<HTMLFieldSetElement>(null);
  useEffect(() => {
    if (isNew) {
      entry.current?.focus();
    }
  }, [isNew]);

  return (
    <fieldset ref={entry} tabIndex={-1} className={styles.entry}>
      <legend className={styles.hidden}>{texts.sizes.entry(position, size.model)}</legend>
      <div className={styles.row}>
        <ModelField
          id={`${id}-model`}
          disabled={disabled}
          source={source}
          model={size.model}
          isBegun={Object.keys(size).length > 1}
          taken={taken}
          onChange={(model) => update({ model })}
        />
        <Field label={texts.sizes.kind} noMargin>
          <RadioButtonGroup
            id={`${id}-kind`}
            aria-label={texts.sizes.kind}
            disabled={disabled}
            options={KINDS}
            value={kind}
            onChange={switchTo}
          />
        </Field>
        <IconButton
          name="trash-alt"
          className={styles.end}
          disabled={disabled}
          aria-label={texts.sizes.remove(position)}
          tooltip={texts.sizes.remove(position)}
          onClick={onRemove}
        />
      </div>
      {kind === 'preset' && (
        <PresetField
          id={`${id}-preset`}
          disabled={disabled}
          source={source}
          preset={size.preset}
          fault={faults.preset}
          onChange={(preset) => update({ preset })}
        />
      )}
      {kind === 'config' && (
        <ConfigField
          id={`${id}-config`}
          disabled={disabled}
          config={size.config}
          fault={faults.config}
          onChange={(config) => update({ config })}
        />
      )}
      {(kind === 'preset' || kind === 'config') && (
        <ServingFields {...fields} isOpen={isOpen} onToggle={() => setIsOpen(!isOpen)} />
      )}
      {kind === 'geometry' && (
        <>
          <div className={styles.grid}>
            {GEOMETRY_FIELDS.map((field) => (
              <SizeField key={field} field={field} {...fields} />
            ))}
          </div>
          <p className={styles.note}>{texts.sizes.geometryHelp}</p>
        </>
      )}
      {kind === 'bytes' && <SizeField field="bytesPerRequest" {...fields} />}
      <SizeResult {...result} />
    </fieldset>
  );
}

/**
 * The way in which the size is said: what is stored tells, else what was chosen. What was entered for another way
 * comes back with it.
 */
function useKind(size: RequestSize, onChange: (size: RequestSize) => void) {
  const stored = kindOf(size);
  const [chosen, setChosen] = useState<SizeKind>(stored ?? 'preset');
  const [entered, setEntered] = useState(size);
  if (stored !== undefined && stored !== chosen) {
    setChosen(stored);
  }
  const kind = stored ?? chosen;
  const switchTo = (next: SizeKind) => {
    const all = { ...besideKind(entered, kind), ...size };
    setChosen(next);
    setEntered(all);
    onChange(inKind(all, next));
  };
  return { kind, switchTo };
}

function fieldsInSight(kind: SizeKind, isOpen: boolean): readonly string[] {
  switch (kind) {
    case 'bytes':
      return ['bytesPerRequest'];
    case 'geometry':
      return GEOMETRY_FIELDS;
    default:
      return [kind, ...MAIN_FIELDS, ...(isOpen ? FURTHER_FIELDS : [])];
  }
}

/** A field that is cleared leaves no trace, so that its default applies. */
function withoutUnset(size: RequestSize): RequestSize {
  return { model: size.model, ...Object.fromEntries(Object.entries(size).filter(([, value]) => value !== undefined)) };
}
