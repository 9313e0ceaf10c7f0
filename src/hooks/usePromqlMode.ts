import { useEffect, useState } from 'react';

import type { PDQuery, QueryType } from '../types';
import type { CompiledState } from './useCompiled';

/**
 * The change between builder and PromQL. What the builder means is put into the field as long as nobody wrote there;
 * what was written, and the builder's choices, are kept for the way back.
 */
export function usePromqlMode(
  query: PDQuery,
  { compiled, loading }: CompiledState,
  update: (patch: Partial<PDQuery>) => void
) {
  const [expressions, setExpressions] = useState(1);
  const [isWaiting, setWaiting] = useState(false);

  const setMode = (queryType: QueryType) => {
    const isOurs = query.expr.trim() === '' || query.exprMade === true;
    const isLeaving = queryType === 'promql' && query.queryType === 'signal';
    // What is on its way is what the field is to show.
    setWaiting(isLeaving && isOurs && loading);
    if (isLeaving && isOurs && loading) {
      return;
    }
    const made = query.queryType === 'signal' ? compiled?.promql[0] : undefined;
    if (queryType === 'promql' && isOurs && made !== undefined) {
      setExpressions(compiled?.promql.length ?? 1);
      update({ queryType, expr: made, exprMade: true });
    } else {
      update({ queryType });
    }
  };

  useEffect(() => {
    if (isWaiting && !loading) {
      // eslint-disable-next-line react-hooks/set-state-in-effect -- the answer comes from outside
      setMode('promql');
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- once, when the answer has come
  }, [isWaiting, loading]);

  return {
    /** The mode that the user chose, which may wait for its expression. */
    mode: isWaiting ? 'promql' : query.queryType,
    setMode,
    setExpr: (expr: string) => update({ expr, exprMade: undefined }),
    /** How many expressions the signal takes where the field shows the first of them. */
    expressions: query.exprMade ? expressions : 1,
  };
}
