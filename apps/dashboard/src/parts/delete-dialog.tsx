import { asStatusError, type ResourceInfo } from '@coracle/apimachinery';
import { useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { useDependents } from '../data/use-dependents.js';
import { refFor } from '../model/catalog.js';
import { countOf, type OwnedObject } from '../model/owned-tree.js';
import { useWords } from '../words/use-words.js';
import { Dialog } from './dialog.js';
import { ErrorNote } from './error-note.js';

interface DeleteDialogProps {
  readonly info: ResourceInfo;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  readonly onClose: () => void;
  readonly onDeleted?: () => void;
}

type Propagation = 'Background' | 'Foreground' | 'Orphan';
const propagations: readonly Propagation[] = ['Background', 'Foreground', 'Orphan'];

/** Confirms a deletion, and shows the dependents that are deleted too. */
export function DeleteDialog({ info, namespace, name, uid, onClose, onDeleted }: DeleteDialogProps) {
  const w = useWords();
  const cluster = useCluster();
  const [propagation, setPropagation] = useState<Propagation>('Background');
  const [failure, setFailure] = useState<string | undefined>();
  const cascade = useDependents({ uid: uid ?? '', namespace, version: undefined });
  const remove = async () => {
    try {
      const client = cluster.client.resource(refFor(info), namespace);
      await client.delete(name, { propagationPolicy: propagation, ...(uid && { preconditions: { uid } }) });
      onClose();
      onDeleted?.();
    } catch (error) {
      setFailure(asStatusError(error).message);
    }
  };
  return (
    <Dialog title={w.deleteTitle(info.kind, name)} onClose={onClose}>
      {cascade ? (
        <Cascade owned={cascade} orphans={propagation === 'Orphan'} />
      ) : (
        <p className="dim">{w.looksForOwned}</p>
      )}
      <label>
        {w.propagation}{' '}
        <select value={propagation} onChange={(event) => setPropagation(event.target.value as Propagation)}>
          {propagations.map((one) => (
            <option key={one} value={one}>
              {w.propagations[one]}
            </option>
          ))}
        </select>
      </label>
      {failure && <ErrorNote message={failure} />}
      <div className="bar">
        <button type="button" className="button danger primary" onClick={() => void remove()}>
          {w.delete}
        </button>
        <button type="button" className="button" onClick={onClose}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  );
}

function Cascade({ owned, orphans }: { readonly owned: readonly OwnedObject[]; readonly orphans: boolean }) {
  const w = useWords();
  if (owned.length === 0) return <p className="dim">{w.nothingGoesAlong}</p>;
  return (
    <div>
      <p>{orphans ? w.staysBehind(countOf(owned)) : w.goesAlong(countOf(owned))}</p>
      <div className="cascade">
        <Tree owned={owned} />
      </div>
    </div>
  );
}

const mostShown = 50;

function Tree({ owned }: { readonly owned: readonly OwnedObject[] }) {
  return (
    <ul>
      {owned.slice(0, mostShown).map(({ info, metadata, owned: inner }) => (
        <li key={metadata.uid}>
          <span className="dim">{info.kind}</span> {metadata.name}
          {inner.length > 0 && <Tree owned={inner} />}
        </li>
      ))}
      {owned.length > mostShown && <li className="dim">… {owned.length - mostShown}</li>}
    </ul>
  );
}
