import { css } from '@emotion/css';
import type { GrafanaTheme2 } from '@grafana/data';
import { Button, Icon, useStyles2 } from '@grafana/ui';
import React from 'react';

import { formatBytes, formatCount } from '../../formatBytes';
import * as texts from '../../texts';
import type { RequestSize, ServedModel } from '../../types';
import { severityIcon } from '../Notices';

const { served } = texts;

interface Props {
  disabled: boolean;
  models: ServedModel[];
  sizes: RequestSize[];
  onEntry: (size: RequestSize) => void;
}

export function ServedModelsTable({ models, ...rest }: Props) {
  const styles = useStyles2(getStyles);
  return (
    <div className={styles.scroll} tabIndex={0} role="region" aria-label={served.title}>
      <table className={styles.table}>
        <thead>
          <tr>
            {[served.model, served.configured, served.measured, served.ratio, served.actions].map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <ModelRow key={model.model} served={model} {...rest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Omit<Props, 'models'> {
  served: ServedModel;
}

function ModelRow({ served: model, ...rest }: RowProps) {
  const styles = useStyles2(getStyles);
  const { configuredBytes, derivation, measured, inputTokens, ratio, meaning, severity } = model;
  return (
    <tr>
      <th scope="row" className={styles.model}>
        {model.model}
      </th>
      <td>
        {configuredBytes > 0 ? formatBytes(configuredBytes) : served.noSize}
        {derivation && <div className={styles.note}>{derivation}</div>}
      </td>
      <td>
        {measured ? formatBytes(Math.round(measured.bytesPerRequest)) : served.nothingMeasured}
        {measured && (
          <div className={styles.note}>
            {served.basis(
              formatCount(Math.round(measured.requests)),
              measured.window,
              texts.systems[measured.system] ?? measured.system
            )}
          </div>
        )}
        {inputTokens > 0 && (
          <div className={styles.note}>{served.inputTokens(formatCount(Math.round(inputTokens)))}</div>
        )}
      </td>
      <td>
        {ratio > 0 && <strong>{ratio.toFixed(2)}</strong>}
        {meaning && (
          <div className={styles.meaning}>
            <Icon
              name={severityIcon(severity)}
              className={styles[severity]}
              title={texts.compiled.severity[severity]}
            />
            <span>{meaning}</span>
          </div>
        )}
      </td>
      <td>
        <Actions served={model} {...rest} />
      </td>
    </tr>
  );
}

/** Nothing is done by itself: the preset is a suggestion, the measured value is frozen by hand. */
function Actions({
  disabled,
  served: { model, configuredBytes, preset, measured, inputTokens },
  sizes,
  onEntry,
}: RowProps) {
  const styles = useStyles2(getStyles);
  const hasEntry = configuredBytes > 0 || sizes.some((size) => size.model === model);
  const bytes = Math.round(measured?.bytesPerRequest ?? 0);
  if (disabled) {
    return null;
  }
  return (
    <div className={styles.actions}>
      {/* First: the others go once they were pressed, and this one must not move under the pointer then. */}
      {bytes > 0 && (
        <Button
          type="button"
          size="sm"
          variant="secondary"
          fill="outline"
          aria-label={served.useMeasuredLabel(model)}
          tooltip={served.freezing}
          onClick={() => onEntry({ model, bytesPerRequest: bytes })}
        >
          {served.useMeasured}
        </Button>
      )}
      {!hasEntry && preset !== '' && (
        <Button
          type="button"
          size="sm"
          variant="secondary"
          aria-label={served.addPresetLabel(model, preset)}
          tooltip={served.presetHelp}
          // The prompts that the engines count, to be looked over with the rest of the entry.
          onClick={() => onEntry({ model, preset, ...(inputTokens > 0 && { inputTokens: Math.round(inputTokens) }) })}
        >
          {served.addPreset(preset)}
        </Button>
      )}
      {!hasEntry && (
        <Button
          type="button"
          size="sm"
          variant="secondary"
          aria-label={served.addLabel(model)}
          onClick={() => onEntry({ model })}
        >
          {served.add}
        </Button>
      )}
    </div>
  );
}

const getStyles = (theme: GrafanaTheme2) => ({
  scroll: css({ overflowX: 'auto', maxWidth: '100%' }),
  table: css({
    width: '100%',
    fontVariantNumeric: 'tabular-nums',
    '& th, & td': { padding: theme.spacing(1, 2, 1, 0), verticalAlign: 'top', textAlign: 'left' },
    '& th': { fontWeight: theme.typography.fontWeightMedium },
    '& tbody tr': { borderTop: `1px solid ${theme.colors.border.weak}` },
  }),
  model: css({ overflowWrap: 'anywhere' }),
  note: css({ color: theme.colors.text.secondary, fontSize: theme.typography.bodySmall.fontSize }),
  meaning: css({
    display: 'flex',
    gap: theme.spacing(0.5),
    alignItems: 'flex-start',
    fontSize: theme.typography.bodySmall.fontSize,
  }),
  actions: css({ display: 'flex', flexWrap: 'wrap', gap: theme.spacing(1) }),
  info: css({ color: theme.colors.info.text, flexShrink: 0 }),
  warning: css({ color: theme.colors.warning.text, flexShrink: 0 }),
  error: css({ color: theme.colors.error.text, flexShrink: 0 }),
});
