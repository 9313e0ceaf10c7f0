import { useCallback, useEffect, useState } from 'react';

import type { DataSource } from '../datasource';
import { errorMessage } from '../errors';
import type { Catalog } from '../types';

export interface KnownSignals {
  catalog?: Catalog;
  error?: string;
  retry: () => void;
}

export function useCatalog(datasource: DataSource): KnownSignals {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{ catalog?: Catalog; error?: string }>({});

  useEffect(() => {
    let mounted = true;
    datasource.getCatalog().then(
      (catalog) => mounted && setResult({ catalog }),
      (error: unknown) => mounted && setResult({ error: errorMessage(error) })
    );
    return () => {
      mounted = false;
    };
  }, [datasource, attempt]);

  const retry = useCallback(() => {
    setResult({});
    setAttempt((count) => count + 1);
  }, []);
  return { ...result, retry };
}
