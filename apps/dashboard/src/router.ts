import { type MouseEvent, useSyncExternalStore } from 'react';

/** The location of the page: the parts of its path, and its query. */
export interface Route {
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly href: string;
}

const listeners = new Set<() => void>();
let current = parse();

function parse(): Route {
  const { pathname, search } = location;
  const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
  return { parts, query: new URLSearchParams(search), href: pathname + search };
}

function changed(): void {
  current = parse();
  for (const listener of listeners) listener();
}

addEventListener('popstate', changed);

export function useRoute(): Route {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

/** Navigates to another page; `replace` adds no history entry, for changes while typing. */
export function navigate(href: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (href === current.href) return;
  if (replace) history.replaceState(null, '', href);
  else history.pushState(null, '', href);
  changed();
}

/** The same page with other values in the query; empty ones are left out. */
export function withQuery(changes: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.toString();
  return location.pathname + (text ? `?${text}` : '');
}

/** For links: stays in the page unless another tab was requested. */
export function followLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.defaultPrevented) return;
  event.preventDefault();
  navigate(event.currentTarget.getAttribute('href') ?? '/');
}

/** A path of parts, each of them spelt for an address. */
export function path(...parts: readonly string[]): string {
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
