import { useWords } from '../words/use-words.js';

/** An error, with the server's message and a suggestion. */
export function ErrorNote({ message, advice }: { readonly message: string; readonly advice?: string | undefined }) {
  const w = useWords();
  return (
    <div className="note bad" role="alert">
      <b>{w.failed}</b> {message}
      {advice && <div className="dim">{advice}</div>}
    </div>
  );
}
