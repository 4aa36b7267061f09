import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { may } from '../model/access-rules.js';
import { idOf } from '../model/catalog.js';
import { pluralOf } from '../model/navigation.js';
import { kindPath } from '../parts/link.js';
import { navigate } from '../router.js';
import { useWords } from '../words/use-words.js';

/** `:pods`, `:deploy kube-system`: opens a kind by any of its names, in a namespace if one is given. */
export function CommandPalette({ onClose }: { readonly onClose: () => void }) {
  const w = useWords();
  const { catalog, access } = useCluster();
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  useEffect(() => dialog.current?.showModal(), []);
  const [word = '', namespace] = text.trim().replace(/^:/, '').split(/\s+/);
  const found = catalog
    .search(word)
    .filter((info) => may(access, 'list', info))
    .slice(0, 12);
  const go = (index: number) => {
    const info = found[index];
    if (!info) return;
    onClose();
    navigate(kindPath(idOf(info), { ns: namespace }));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const moves: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const move = moves[event.key];
    if (move) setChosen(Math.max(0, Math.min(found.length - 1, chosen + move)));
    else if (event.key === 'Enter') go(chosen);
    else return;
    event.preventDefault();
  };
  return (
    <dialog ref={dialog} onClose={onClose} aria-label={w.goTo}>
      <div className="dialog palette">
        <input
          type="text"
          role="combobox"
          aria-expanded={found.length > 0}
          aria-controls="kinds"
          aria-activedescendant={found[chosen] ? `kind-${chosen}` : undefined}
          aria-label={w.kindAndNamespace}
          placeholder={w.kindAndNamespace}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
        <div role="listbox" id="kinds" aria-label={w.kinds} className="listbox">
          {found.map((info, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the box above takes the keys.
            <div
              key={idOf(info)}
              id={`kind-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === chosen}
              onClick={() => go(index)}
            >
              <span>{pluralOf(info.kind)}</span>
              <span className="dim mono">{[info.shortNames.join(', '), info.group].filter(Boolean).join(' · ')}</span>
            </div>
          ))}
        </div>
      </div>
    </dialog>
  );
}
