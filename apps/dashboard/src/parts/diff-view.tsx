import type { DiffLine } from '../model/line-diff.js';
import { useWords } from '../words/use-words.js';

const signs = { same: ' ', added: '+', removed: '-', skipped: ' ' } as const;

export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }) {
  const w = useWords();
  if (!lines.some(({ change }) => change === 'added' || change === 'removed'))
    return <p className="dim">{w.noChange}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section className="diff" tabIndex={0} aria-label={w.difference}>
      {lines.map(({ change, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no names, and are never moved.
        <div key={index} className={change}>
          {signs[change]} {text}
        </div>
      ))}
    </section>
  );
}
