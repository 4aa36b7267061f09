import { useEffect, useState } from 'react';

/** The time, updated each second while the page is visible. */
export function useNow(everyMs = 1000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) setNow(Date.now());
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
