import { useEffect, useRef } from 'react';

/** Asks at once and then again and again, but not while the page is hidden. For what cannot be watched. `key` begins anew. */
export function useEvery(
  everyMs: number,
  ask: ((signal: AbortSignal) => Promise<void>) | undefined,
  key: string,
): void {
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller says when to begin anew.
  useEffect(() => {
    const stop = new AbortController();
    const again = () => {
      if (!document.hidden) latest.current?.(stop.signal).catch(() => {});
    };
    again();
    const timer = setInterval(again, everyMs);
    document.addEventListener('visibilitychange', again);
    return () => {
      stop.abort();
      clearInterval(timer);
      document.removeEventListener('visibilitychange', again);
    };
  }, [everyMs, key]);
}
