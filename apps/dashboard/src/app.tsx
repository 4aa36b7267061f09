import { useEffect, useState } from 'react';
import { type Cluster, ClusterProvider, openCluster } from './data/cluster.js';
import { readSession, type SessionState } from './data/session.js';
import { Frame } from './frame/frame.js';
import { LoginPage } from './pages/login-page.js';
import { ErrorNote } from './parts/error-note.js';
import { en, type Words } from './words/en.js';
import { loadWords, preferredLanguage, WordsProvider } from './words/use-words.js';

type Opening =
  | { readonly at: 'loading' }
  | { readonly at: 'outside'; readonly session: SessionState }
  | { readonly at: 'there'; readonly cluster: Cluster }
  | { readonly at: 'failed'; readonly message: string };

export function App() {
  const [words, setWords] = useState<Words>(en);
  const [opening, setOpening] = useState<Opening>({ at: 'loading' });
  useEffect(() => {
    const language = preferredLanguage();
    document.documentElement.lang = language;
    loadWords(language).then(setWords, () => setWords(en));
    open().then(setOpening, (error: unknown) => setOpening({ at: 'failed', message: String(error) }));
  }, []);
  return (
    <WordsProvider value={words}>
      <Opened opening={opening} words={words} />
    </WordsProvider>
  );
}

async function open(): Promise<Opening> {
  const session = await readSession();
  if (!session.isIn) return { at: 'outside', session };
  return { at: 'there', cluster: await openCluster(session) };
}

function Opened({ opening, words }: { readonly opening: Opening; readonly words: Words }) {
  switch (opening.at) {
    case 'loading':
      return <main className="empty">{words.connecting}</main>;
    case 'outside':
      return <LoginPage login={opening.session.login} />;
    case 'failed':
      return (
        <main className="page">
          <ErrorNote message={opening.message} advice={words.serverGone} />
        </main>
      );
    case 'there':
      return (
        <ClusterProvider value={opening.cluster}>
          <Frame />
        </ClusterProvider>
      );
  }
}
