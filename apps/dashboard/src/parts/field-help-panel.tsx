import type { FieldHelp } from '../data/field-help.js';
import { useWords } from '../words/use-words.js';

/** The schema's description of the field at the caret. */
export function FieldHelpPanel({
  help,
  hasSchema,
  completes,
}: {
  readonly help: FieldHelp | undefined;
  readonly hasSchema: boolean;
  /** Whether the text beside it offers what the schema has. */
  readonly completes: boolean;
}) {
  const w = useWords();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <aside className="panel help" aria-label={w.fieldHelp} tabIndex={0}>
      {help ? (
        <>
          <h2 className="mono">{help.path || w.wholeObject}</h2>
          <p className="dim mono">{help.type}</p>
          <p>{help.description}</p>
          {help.enum.length > 0 && <p className="mono">{help.enum.join(' | ')}</p>}
          {help.fields.length > 0 && (
            <>
              <h3>{w.fields}</h3>
              {help.fields.map(({ name, type, isRequired }) => (
                <div key={name} className="mono">
                  {name}
                  {isRequired && '*'} <span className="dim">{type}</span>
                </div>
              ))}
            </>
          )}
        </>
      ) : (
        <p className="dim">{hasSchema ? w.putCaret : w.noSchema}</p>
      )}
      {hasSchema && completes && (
        <p className="dim">
          <kbd>Ctrl</kbd> <kbd>{w.spaceKey}</kbd> {w.suggestions}
        </p>
      )}
    </aside>
  );
}
