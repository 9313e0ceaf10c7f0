import { Button, useStyles2 } from '@grafana/ui';
import React, { useState } from 'react';

import { withEntry } from '../../requestSize';
import type { SavedSource } from '../../savedSource';
import * as texts from '../../texts';
import type { RequestSize } from '../../types';
import { ServedModels } from '../ServedModels/ServedModels';
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
  // Entries have no identity of their own: where one moves, all begin anew, so that none keeps another's text fields.
  const [moves, setMoves] = useState(0);
  const [added, setAdded] = useState<number>();

  const put = (entry: RequestSize) => {
    const next = withEntry(sizes, entry);
    if (next.at < sizes.length) {
      setMoves(moves + 1);
    }
    setAdded(next.at);
    onChange(next.sizes);
  };

  return (
    <div className={styles.list}>
      <ServedModels disabled={disabled} source={source} sizes={sizes} onEntry={put} />
      {sizes.map((size, index) => (
        <SizeEntry
          key={`${moves}-${index}`}
          position={index + 1}
          disabled={disabled}
          source={source}
          size={size}
          isNew={index === added}
          taken={sizes.slice(0, index).map(({ model }) => model)}
          onChange={(next) => onChange(sizes.map((old, at) => (at === index ? next : old)))}
          onRemove={() => {
            setMoves(moves + 1);
            setAdded(undefined);
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
          onClick={() => {
            setAdded(sizes.length);
            onChange([...sizes, { model: '' }]);
          }}
        >
          {texts.sizes.add}
        </Button>
      </div>
    </div>
  );
}
