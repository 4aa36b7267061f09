import { useState } from 'react';
import { isFixed, type ShownColumn } from '../model/columns.js';
import { useWords } from '../words/use-words.js';

/** The columns that the user has chosen for a kind, stored in the browser. */
export function useChosenColumns(kind: string) {
  const name = `coracle-columns-${kind}`;
  const [chosen, setChosen] = useState<readonly string[] | undefined>(() => parse(localStorage.getItem(name)));
  const choose = (names: readonly string[] | undefined) => {
    setChosen(names);
    if (names) localStorage.setItem(name, JSON.stringify(names));
    else localStorage.removeItem(name);
  };
  return [chosen, choose] as const;
}

function parse(text: string | null): readonly string[] | undefined {
  return text === null ? undefined : (JSON.parse(text) as string[]);
}

interface ColumnChooserProps {
  readonly all: readonly ShownColumn[];
  readonly shown: readonly string[];
  readonly onChange: (names: readonly string[] | undefined) => void;
}

export function ColumnChooser({ all, shown, onChange }: ColumnChooserProps) {
  const w = useWords();
  const [open, setOpen] = useState(false);
  const choices = all.filter((column, index) => !isFixed(column, index));
  return (
    <div className="chooser">
      <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        {w.columns}
      </button>
      {open && (
        <div className="panel chooser-list">
          {choices.map(({ name }) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={shown.includes(name)}
                onChange={(event) =>
                  onChange(event.target.checked ? [...shown, name] : shown.filter((one) => one !== name))
                }
              />
              {name}
            </label>
          ))}
          <button type="button" className="button plain" onClick={() => onChange(undefined)}>
            {w.usualColumns}
          </button>
        </div>
      )}
    </div>
  );
}
