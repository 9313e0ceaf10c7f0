import type { DataSource } from '../datasource';
import { errorMessage } from '../errors';
import type { Catalog } from '../types';
import { useAnswer } from './useAnswer';

export interface KnownSignals {
  catalog?: Catalog;
  error?: string;
  loading: boolean;
  retry: () => void;
}

export function useCatalog(datasource: DataSource): KnownSignals {
  const { answer, error, loading, again } = useAnswer(datasource.uid, (_, isAgain) => datasource.getCatalog(isAgain));
  return { catalog: answer, error: error === undefined ? undefined : errorMessage(error), loading, retry: again };
}
