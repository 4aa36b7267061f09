import { lazy, Suspense, useEffect, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { logout } from '../data/session.js';
import { chooseTheme, preferredTheme } from '../data/theme.js';
import { OverviewPage } from '../pages/overview-page.js';
import { TablePage } from '../pages/table-page.js';
import { Link } from '../parts/link.js';
import { PageBoundary } from '../parts/page-boundary.js';
import { useKeys } from '../parts/use-keys.js';
import { type Route, useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';
import { CommandPalette } from './command-palette.js';
import { Sidebar } from './sidebar.js';
import { TimeBar } from './time-bar.js';

const AccessPage = lazy(() => import('../pages/access-page.js'));
const ComparePage = lazy(() => import('../pages/compare-page.js'));
const HowPage = lazy(() => import('../pages/how-page.js'));
const QuotaPage = lazy(() => import('../pages/quota-page.js'));
const StoragePage = lazy(() => import('../pages/storage-page.js'));
const NetworkPage = lazy(() => import('../pages/network-page.js'));
const CreatePage = lazy(() => import('../pages/create-page.js'));
const DetailsPage = lazy(() => import('../pages/details-page.js'));

/** The frame around every page. */
export function Frame() {
  const w = useWords();
  const route = useRoute();
  const { isCoracle } = useCluster();
  const [command, setCommand] = useState(false);
  const [side, setSide] = useState(false);
  useKeys({ ':': () => setCommand(true) });
  // biome-ignore lint/correctness/useExhaustiveDependencies: on another page one begins at its top, and the menu is out of the way.
  useEffect(() => setSide(false), [route.parts.join('/')]);
  return (
    <div className="frame">
      <a className="hidden-visually" href="#main">
        {w.skipToContent}
      </a>
      <header className="top">
        <button type="button" className="button plain burger" aria-expanded={side} onClick={() => setSide(!side)}>
          ☰<span className="hidden-visually">{w.menu}</span>
        </button>
        <Brand />
        <button type="button" className="button" onClick={() => setCommand(true)}>
          <span className="wide">{w.goTo}</span> <kbd>:</kbd>
        </button>
        <span className="grow" />
        <ClusterName />
        <Settings />
      </header>
      <Sidebar isOpen={side} />
      <main className="main" id="main" tabIndex={-1}>
        {isCoracle && <TimeBar />}
        <Suspense fallback={<div className="empty">{w.loading}</div>}>
          <PageBoundary key={route.parts.join('/')}>
            <Page route={route} />
          </PageBoundary>
        </Suspense>
      </main>
      {command && <CommandPalette onClose={() => setCommand(false)} />}
    </div>
  );
}

function Page({ route }: { readonly route: Route }) {
  const w = useWords();
  const [page = '', ...rest] = route.parts;
  switch (page) {
    case '':
      return <OverviewPage />;
    case 'r':
      return <TablePage key={rest[0]} id={rest[0] ?? ''} />;
    case 'o':
      return <DetailsPage key={rest.join('/')} id={rest[0] ?? ''} namespace={rest[1] ?? ''} name={rest[2] ?? ''} />;
    case 'access':
      return <AccessPage />;
    case 'compare':
      return <ComparePage />;
    case 'create':
      return <CreatePage key={route.query.get('kind')} />;
    case 'how':
      return <HowPage />;
    case 'quota':
      return <QuotaPage />;
    case 'storage':
      return <StoragePage />;
    case 'network':
      return <NetworkPage />;
    default:
      return (
        <div className="empty">
          <b>{w.noSuchPage}</b>
          <Link href="/">{w.overview}</Link>
        </div>
      );
  }
}

function Brand() {
  return (
    <Link href="/" className="brand">
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M3 14h26c0 8-6 13-13 13S3 22 3 14z" fill="#3b82f6" />
        <path d="M7 10h18" stroke="#93c5fd" strokeWidth="3" strokeLinecap="round" />
      </svg>
      <span>Coracle</span>
    </Link>
  );
}

function ClusterName() {
  const { session, access, version } = useCluster();
  return (
    <span className="dim wide" title={`${access.user} · ${version}`}>
      {session.server?.replace(/^https?:\/\//, '')} · {access.user}
    </span>
  );
}

function Settings() {
  const w = useWords();
  const [theme, setTheme] = useState(preferredTheme());
  const other = theme === 'dark' ? 'light' : 'dark';
  const setLanguage = () => {
    localStorage.setItem('coracle-language', w.otherLanguage.code);
    location.reload();
  };
  return (
    <>
      <button
        type="button"
        className="button plain"
        onClick={() => {
          chooseTheme(other);
          setTheme(other);
        }}
      >
        {theme === 'dark' ? '☀' : '☾'}
        <span className="hidden-visually">{theme === 'dark' ? w.lightTheme : w.darkTheme}</span>
      </button>
      <button type="button" className="button plain" onClick={setLanguage} lang={w.otherLanguage.code}>
        {w.otherLanguage.name}
      </button>
      <button type="button" className="button plain wide" onClick={() => void logout()}>
        {w.signOut}
      </button>
    </>
  );
}
