import { cx } from '@emotion/css';
import { useStyles2 } from '@grafana/ui';
import React from 'react';

import { FURTHER_FIELDS, MAIN_FIELDS } from '../../requestSize';
import * as texts from '../../texts';
import { Fold } from '../Fold';
import { SizeField, type SizeFieldsProps } from './SizeField';
import { getStyles } from './styles';

interface Props extends SizeFieldsProps {
  isOpen: boolean;
  onToggle: () => void;
}

/** How the model of a config or preset is served: what most need at once, the rest folded. */
export function ServingFields({ isOpen, onToggle, ...props }: Props) {
  const styles = useStyles2(getStyles);
  const set = FURTHER_FIELDS.filter((field) => props.size[field] !== undefined);
  return (
    <>
      <div className={styles.grid}>
        {MAIN_FIELDS.map((field) => (
          <SizeField key={field} field={field} {...props} />
        ))}
      </div>
      <Fold
        label={texts.sizes.serving}
        summary={texts.sizes.servingSet(
          set,
          set.map((field) => props.size[field])
        )}
        isOpen={isOpen}
        onToggle={onToggle}
      >
        <div className={cx(styles.grid, styles.below)}>
          {FURTHER_FIELDS.map((field) => (
            <SizeField key={field} field={field} {...props} />
          ))}
        </div>
      </Fold>
    </>
  );
}
