import { Alert, Button, LinkButton, Stack } from '@grafana/ui';
import { locationUtil } from '@grafana/data';
import React from 'react';

import type { DataSource } from '../datasource';
import type { KnownSignals } from '../hooks/useCatalog';
import * as texts from '../texts';
import type { Catalog } from '../types';

interface Props {
  known: KnownSignals;
  datasource: DataSource;
}

/** Why there is little to choose from: no answer, a server that cannot be looked at, or one without engines. */
export function CatalogState({ known: { catalog, error, loading, retry }, datasource }: Props) {
  const said =
    error === undefined
      ? catalog && stateOf(catalog)
      : { title: texts.query.catalogFailed, text: `${error}. ${texts.query.catalogFailedHelp}` };
  if (!said) {
    return null;
  }
  return (
    <Alert severity="warning" title={said.title} bottomSpacing={0}>
      <p>{said.text}</p>
      <Stack direction="row" gap={1}>
        <Button size="sm" variant="secondary" icon="sync" disabled={loading} onClick={retry}>
          {texts.query.retry}
        </Button>
        <LinkButton
          size="sm"
          variant="secondary"
          fill="text"
          icon="cog"
          href={locationUtil.assureBaseUrl(`/connections/datasources/edit/${datasource.uid}`)}
        >
          {texts.query.openSettings}
        </LinkButton>
      </Stack>
    </Alert>
  );
}

function stateOf({ signals, unseen }: Catalog) {
  if (unseen !== '') {
    return { title: texts.query.nothingKnown, text: unseen };
  }
  if (signals.length > 0 && signals.every(({ available }) => available === false)) {
    return { title: texts.query.nothingFound, text: texts.query.nothingFoundHelp };
  }
  return undefined;
}
