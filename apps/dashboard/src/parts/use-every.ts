import { useEffect, useRef } from 'react';

/** Polls at once and then periodically, but not while the page is hidden. For data that cannot be watched. A new `key` restarts it. */
export function useEvery(
  everyMs: number,
  ask: ((signal: AbortSignal) => Promise<void>) | undefined,
  key: string,
): void {
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller decides when to restart.
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
