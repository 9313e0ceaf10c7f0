import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Button, Combobox, Field, IconButton, RadioButtonGroup, useStyles2 } from '@grafana/ui';
import React, { useState } from 'react';

import { DEFAULT_KV_DTYPE, formatBytes, KV_DTYPES, kvBytesPerRequest, MAX_BYTES } from '../kvBytes';
import * as texts from '../texts';
import type { RequestSize } from '../types';
import { checkCount, checkModel } from '../validate';
import { TextSetting } from './TextSetting';

interface Props {
  disabled: boolean;
  sizes: RequestSize[];
  onChange: (sizes: RequestSize[]) => void;
}

export function RequestSizesEditor({ disabled, sizes, onChange }: Props) {
  const styles = useStyles2(getStyles);
  // Rows have no identity of their own; removing one must not hand its text fields to the next.
  const [removed, setRemoved] = useState(0);
  return (
    <div className={styles.list}>
      {sizes.map((size, index) => (
        <SizeRow
          key={`${removed}-${index}`}
          position={index + 1}
          disabled={disabled}
          size={size}
          taken={sizes.slice(0, index).map(({ model }) => model)}
          onChange={(next) => onChange(sizes.map((old, at) => (at === index ? next : old)))}
          onRemove={() => {
            setRemoved(removed + 1);
            onChange(sizes.filter((_, at) => at !== index));
          }}
        />
      ))}
      <div>
        <Button
          type="button"
          variant="secondary"
          icon="plus"
          disabled={disabled}
          onClick={() => onChange([...sizes, { model: '' }])}
        >
          {texts.config.sizeAdd}
        </Button>
      </div>
    </div>
  );
}

type Kind = 'bytes' | 'geometry';

const KINDS = (['bytes', 'geometry'] satisfies Kind[]).map((value) => ({
  value,
  label: texts.config.sizeKinds[value],
}));

const DTYPES = Object.keys(KV_DTYPES).map((value) => ({ value, label: value }));

function kindOf(size: RequestSize): Kind {
  const { layers, kvHeads, headDim, inputTokens, kvDtype } = size;
  const isGeometry = [layers, kvHeads, headDim, inputTokens, kvDtype].some((value) => value !== undefined);
  return isGeometry && size.bytesPerRequest === undefined ? 'geometry' : 'bytes';
}

interface RowProps {
  disabled: boolean;
  position: number;
  size: RequestSize;
  /** The models of the entries before this one. */
  taken: string[];
  onChange: (size: RequestSize) => void;
  onRemove: () => void;
}

function SizeRow({ disabled, position, size, taken, onChange, onRemove }: RowProps) {
  const styles = useStyles2(getStyles);
  const [kind, setKind] = useState(kindOf(size));
  const id = `pd-size-${position}`;

  const update = (patch: Partial<RequestSize>) =>
    onChange({
      model: size.model,
      ...Object.fromEntries(Object.entries({ ...size, ...patch }).filter(([, value]) => value !== undefined)),
    });

  const switchTo = (next: Kind) => {
    setKind(next);
    // Two ways to say the size of one model would leave open which one counts.
    onChange(next === 'bytes' ? { model: size.model } : { model: size.model, kvDtype: DEFAULT_KV_DTYPE });
  };

  return (
    <fieldset className={styles.row}>
      <legend className={styles.hidden}>{`${texts.config.sizeModel} ${position}`}</legend>
      <div className={styles.fields}>
        <TextSetting
          id={`${id}-model`}
          label={texts.config.sizeModel}
          placeholder={texts.config.sizeModelPlaceholder}
          value={size.model}
          check={(model) =>
            checkModel(model) ?? (taken.includes(model.trim()) ? texts.config.sizeModelDuplicate : undefined)
          }
          onChange={(model) => update({ model })}
          width={44}
          noMargin
          disabled={disabled}
        />
        <Field label={texts.config.sizeKind} noMargin>
          <RadioButtonGroup
            id={`${id}-kind`}
            aria-label={texts.config.sizeKind}
            disabled={disabled}
            options={KINDS}
            value={kind}
            onChange={switchTo}
          />
        </Field>
        {kind === 'bytes' && (
          <CountField
            id={`${id}-bytes`}
            disabled={disabled}
            label={texts.config.bytesPerRequest}
            placeholder="2684354560"
            value={size.bytesPerRequest}
            onChange={(bytesPerRequest) => update({ bytesPerRequest })}
            width={26}
          />
        )}
        <IconButton
          name="trash-alt"
          className={styles.remove}
          disabled={disabled}
          aria-label={texts.config.sizeRemove(position)}
          tooltip={texts.config.sizeRemove(position)}
          onClick={onRemove}
        />
      </div>
      {kind === 'bytes' && size.bytesPerRequest !== undefined && (
        <div role="status" className={styles.note}>
          {formatBytes(size.bytesPerRequest)}
        </div>
      )}
      {kind === 'geometry' && <GeometryFields disabled={disabled} id={id} size={size} onChange={update} />}
    </fieldset>
  );
}

interface CountProps {
  id: string;
  disabled: boolean;
  label: string;
  description?: string;
  placeholder: string;
  value?: number;
  onChange: (value: number | undefined) => void;
  width?: number;
}

function CountField({ value, onChange, width = 22, ...rest }: CountProps) {
  return (
    <TextSetting
      {...rest}
      value={value === undefined ? '' : String(value)}
      check={checkCount}
      onChange={(text) => onChange(text === '' ? undefined : Number(text))}
      width={width}
      inputMode="numeric"
      noMargin
    />
  );
}

interface FieldsProps {
  id: string;
  disabled: boolean;
  size: RequestSize;
  onChange: (patch: Partial<RequestSize>) => void;
}

function GeometryFields({ id, disabled, size, onChange }: FieldsProps) {
  const styles = useStyles2(getStyles);
  const bytes = kvBytesPerRequest(size);
  const isTooLarge = bytes !== undefined && bytes > MAX_BYTES;
  return (
    <>
      <div className={styles.fields}>
        <CountField
          id={`${id}-layers`}
          disabled={disabled}
          label={texts.config.layers}
          description={texts.config.layersHelp}
          placeholder="80"
          value={size.layers}
          onChange={(layers) => onChange({ layers })}
        />
        <CountField
          id={`${id}-kv-heads`}
          disabled={disabled}
          label={texts.config.kvHeads}
          description={texts.config.kvHeadsHelp}
          placeholder="8"
          value={size.kvHeads}
          onChange={(kvHeads) => onChange({ kvHeads })}
        />
        <CountField
          id={`${id}-head-dim`}
          disabled={disabled}
          label={texts.config.headDim}
          description={texts.config.headDimHelp}
          placeholder="128"
          value={size.headDim}
          onChange={(headDim) => onChange({ headDim })}
        />
        <CountField
          id={`${id}-tokens`}
          disabled={disabled}
          label={texts.config.inputTokens}
          description={texts.config.inputTokensHelp}
          placeholder="8192"
          value={size.inputTokens}
          onChange={(inputTokens) => onChange({ inputTokens })}
        />
        <Field label={texts.config.kvDtype} description={texts.config.kvDtypeHelp} noMargin>
          <Combobox
            id={`${id}-dtype`}
            disabled={disabled}
            width={22}
            options={DTYPES}
            value={size.kvDtype ?? DEFAULT_KV_DTYPE}
            onChange={({ value }) => onChange({ kvDtype: value })}
          />
        </Field>
      </div>
      <p className={styles.note}>{texts.config.geometryHelp}</p>
      <div role="status" className={isTooLarge ? styles.wrong : undefined}>
        {texts.config.computed}:{' '}
        {bytes === undefined ? (
          texts.config.computedMissing
        ) : isTooLarge ? (
          texts.config.computedTooLarge
        ) : (
          <>
            <strong>{formatBytes(bytes)}</strong> <span className={styles.note}>= {texts.config.computedFormula}</span>
          </>
        )}
      </div>
    </>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  list: css({ display: 'flex', flexDirection: 'column', gap: theme.spacing(2) }),
  row: css({
    display: 'flex',
    flexDirection: 'column',
    gap: theme.spacing(2),
    padding: theme.spacing(2),
    border: `1px solid ${theme.colors.border.weak}`,
    borderRadius: theme.shape.radius.default,
  }),
  fields: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(2), alignItems: 'flex-start' }),
  remove: css({ marginLeft: 'auto', marginTop: theme.spacing(0.5) }),
  hidden: css({ position: 'absolute', width: 1, height: 1, overflow: 'hidden', clipPath: 'inset(50%)' }),
  note: css({ margin: 0, color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
  wrong: css({ color: theme.colors.error.text }),
});
