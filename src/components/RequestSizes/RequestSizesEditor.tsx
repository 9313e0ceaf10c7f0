import { Button, useStyles2 } from '@grafana/ui';
import React, { useState } from 'react';

import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import type { RequestSize } from '../../types';
import { SizeEntry } from './SizeEntry';
import { getStyles } from './styles';

interface Props {
  disabled: boolean;
  source: SavedSource;
  sizes: RequestSize[];
  onChange: (sizes: RequestSize[]) => void;
}

/** The KV bytes of one request, model by model. */
export function RequestSizesEditor({ disabled, source, sizes, onChange }: Props) {
  const styles = useStyles2(getStyles);
  // Entries have no identity of their own; removing one must not hand its text fields to the next.
  const [removed, setRemoved] = useState(0);
  return (
    <div className={styles.list}>
      {sizes.map((size, index) => (
        <SizeEntry
          key={`${removed}-${index}`}
          position={index + 1}
          disabled={disabled}
          source={source}
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
          {texts.sizes.add}
        </Button>
      </div>
    </div>
  );
}
