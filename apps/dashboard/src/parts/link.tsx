import type { ReactNode } from 'react';
import { followLink, path, useRoute } from '../router.js';

interface LinkProps {
  readonly href: string;
  readonly children: ReactNode;
  readonly className?: string;
  readonly title?: string;
  readonly isCurrent?: boolean;
  /** Scrolls to it while it is the current one, in a row that is wider than the screen. */
  readonly keepsInView?: boolean;
}

/** A link within the page. It keeps the selected moment. */
export function Link({ href, children, isCurrent, keepsInView, ...rest }: LinkProps) {
  const { query } = useRoute();
  const at = query.get('at');
  const target = at && !/[?&]at=/.test(href) ? `${href}${href.includes('?') ? '&' : '?'}at=${at}` : href;
  return (
    <a
      href={target}
      onClick={followLink}
      ref={isCurrent && keepsInView ? scrollTo : undefined}
      {...(isCurrent && { 'aria-current': 'page' as const })}
      {...rest}
    >
      {children}
    </a>
  );
}

function scrollTo(element: HTMLElement | null): void {
  element?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

/** Where an object is shown. */
export function objectPath(id: string, namespace: string | undefined, name: string): string {
  return path('o', id, namespace || '-', name);
}

export function kindPath(id: string, query: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]);
  const text = new URLSearchParams(parameters).toString();
  return path('r', id) + (text ? `?${text}` : '');
}
