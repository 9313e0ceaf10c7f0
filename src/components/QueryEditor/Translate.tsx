import { EditorRow } from '@grafana/plugin-ui';
import { Button, Stack, Text } from '@grafana/ui';
import React, { useMemo } from 'react';

import { titleOf } from '../../names';
import * as texts from '../../texts';
import { translationsOf } from '../../translate';
import type { Catalog, PDQuery } from '../../types';

interface Props {
  catalog: Catalog;
  query: PDQuery;
  onChange: (patch: Partial<PDQuery>) => void;
}

/** The way from a written expression to a signal that reads the same metrics. */
export function Translate({ catalog, query, onChange }: Props) {
  const offers = useMemo(() => translationsOf(query.expr, catalog, query), [catalog, query]);
  if (offers.length === 0) {
    return null;
  }
  return (
    <EditorRow>
      <Stack direction="row" wrap="wrap" gap={1} alignItems="center">
        <Text variant="bodySmall" color="secondary">
          {texts.query.translate(offers.length)}
        </Text>
        {offers.map(({ signal, query: asked }) => (
          <Button
            key={signal.id}
            size="sm"
            variant="secondary"
            tooltip={texts.query.translateHelp}
            aria-label={texts.query.translateTo(titleOf(signal))}
            onClick={() => onChange(asked)}
          >
            {texts.query.translateTo(titleOf(signal))}
          </Button>
        ))}
      </Stack>
    </EditorRow>
  );
}
