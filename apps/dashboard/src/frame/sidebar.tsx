import { useMemo } from 'react';
import { useCluster } from '../data/cluster.js';
import { may } from '../model/access-rules.js';
import { idOf } from '../model/catalog.js';
import { pluralOf, sectionsOf } from '../model/navigation.js';
import { kindPath, Link } from '../parts/link.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';

const opened = new Set(['workloads', 'network', 'cluster', 'custom']);

/** The pages, and every kind that the user may list. */
export function Sidebar({ isOpen }: { readonly isOpen: boolean }) {
  const w = useWords();
  const { catalog, access } = useCluster();
  const { parts, query } = useRoute();
  const sections = useMemo(() => sectionsOf(catalog, access), [catalog, access]);
  const namespace = query.get('ns') ?? undefined;
  const current = parts[0] === 'r' || parts[0] === 'o' ? parts[1] : undefined;
  return (
    <nav className={isOpen ? 'side is-open' : 'side'} aria-label={w.pages}>
      <Pages />
      {sections.map(({ title, kinds }) => (
        <details key={title} open={opened.has(title) || kinds.some((info) => idOf(info) === current)}>
          <summary>{w.sections[title]}</summary>
          {kinds.map((info) => (
            <Link key={idOf(info)} href={kindPath(idOf(info), { ns: namespace })} isCurrent={idOf(info) === current}>
              {pluralOf(info.kind)}
            </Link>
          ))}
        </details>
      ))}
    </nav>
  );
}

const names = {
  create: 'create',
  how: 'howItWorks',
  network: 'network',
  storage: 'storage',
  quota: 'quota',
  access: 'access',
} as const;

function Pages() {
  const w = useWords();
  const { isCoracle, catalog, access } = useCluster();
  const { parts } = useRoute();
  const mayCreate = catalog.kinds.some((info) => info.verbs.includes('create') && may(access, 'create', info));
  const pages = [
    ...(isCoracle ? (['how'] as const) : []),
    'network',
    'storage',
    'quota',
    'access',
    ...(mayCreate ? (['create'] as const) : []),
  ] as const;
  return (
    <>
      <Link href="/" isCurrent={parts.length === 0}>
        {w.overview}
      </Link>
      {pages.map((page) => (
        <Link key={page} href={`/${page}`} isCurrent={parts[0] === page}>
          {w[names[page]]}
        </Link>
      ))}
    </>
  );
}
