import { useCallback, useEffect, useRef, useState } from 'react';

export interface Answer<T> {
  answer?: T;
  error?: unknown;
  loading: boolean;
  again: () => void;
}

/**
 * The answer to a question that changes while a user types: asked after a pause, the stale one dropped, the last one
 * kept until the next has come, so that the page does not jump. An empty key asks nothing.
 */
export function useAnswer<T>(key: string, ask: (abortSignal: AbortSignal) => Promise<T>, pauseMs = 0): Answer<T> {
  const [attempt, setAttempt] = useState(0);
  const [result, setResult] = useState<{ asked: string; answer?: T; error?: unknown }>({ asked: '' });
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });

  const asked = key === '' ? '' : `${attempt} ${key}`;
  useEffect(() => {
    if (asked === '') {
      return;
    }
    const controller = new AbortController();
    const keep = (fresh: { answer?: T; error?: unknown }) =>
      !controller.signal.aborted && setResult({ asked, ...fresh });
    const timer = setTimeout(() => {
      latest.current(controller.signal).then(
        (answer) => keep({ answer }),
        (error: unknown) => keep({ error })
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, pauseMs]);

  const again = useCallback(() => setAttempt((count) => count + 1), []);
  if (asked === '') {
    return { loading: false, again };
  }
  return { answer: result.answer, error: result.error, loading: result.asked !== asked, again };
}
