import { useWords } from '../words/use-words.js';

/** What went wrong, in the server's words, and what to do about it. */
export function ErrorNote({ message, advice }: { readonly message: string; readonly advice?: string | undefined }) {
  const w = useWords();
  return (
    <div className="note bad" role="alert">
      <b>{w.failed}</b> {message}
      {advice && <div className="dim">{advice}</div>}
    </div>
  );
}
