import { useCallback, useEffect, useRef, useState } from 'react';

export interface Answer<T> {
  answer?: T;
  error?: unknown;
  loading: boolean;
  again: () => void;
}

/**
 * The answer to a question that changes while a user types: asked after a pause, the stale one dropped, the last one
 * kept until the next has come, so that the page does not jump. An empty key asks nothing. `ask` is told whether the
 * user wants the same question asked again, which nothing that was kept may answer.
 */
export function useAnswer<T>(
  key: string,
  ask: (abortSignal: AbortSignal, isAgain: boolean) => Promise<T>,
  pauseMs = 0
): Answer<T> {
  const [pressed, setPressed] = useState({ count: 0, key: '' });
  const [result, setResult] = useState<{ asked: string; answer?: T; error?: unknown }>({ asked: '' });
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });

  const isAgain = pressed.key === key;
  const asked = key === '' ? '' : `${pressed.count} ${key}`;
  useEffect(() => {
    if (asked === '') {
      return;
    }
    const controller = new AbortController();
    const keep = (fresh: { answer?: T; error?: unknown }) =>
      !controller.signal.aborted && setResult({ asked, ...fresh });
    const start = () => {
      latest.current(controller.signal, isAgain).then(
        (answer) => keep({ answer }),
        (error: unknown) => keep({ error })
      );
    };
    // Where nobody types there is nothing to wait for.
    const timer = pauseMs > 0 ? setTimeout(start, pauseMs) : undefined;
    if (pauseMs === 0) {
      start();
    }
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [asked, isAgain, pauseMs]);

  const again = useCallback(() => setPressed(({ count }) => ({ count: count + 1, key })), [key]);
  if (asked === '') {
    return { loading: false, again };
  }
  return { answer: result.answer, error: result.error, loading: result.asked !== asked, again };
}
