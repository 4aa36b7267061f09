import { useEffect, useRef } from 'react';

export type KeyBindings = Readonly<Record<string, (event: KeyboardEvent) => void>>;

/** Single keys, as k9s has them. They have no effect in text fields and dialogs. */
export function useKeys(bindings: KeyBindings): void {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(target)) return;
      const binding = latest.current[event.key];
      if (!binding) return;
      event.preventDefault();
      binding(event);
    };
    document.addEventListener('keydown', listener);
    return () => document.removeEventListener('keydown', listener);
  }, []);
}

function isTyping(target: HTMLElement): boolean {
  return /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) || !!target.closest('dialog, .shell');
}
