import { asStatusError, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { type FormEvent, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { refFor } from '../model/catalog.js';
import { useWords } from '../words/use-words.js';
import { Dialog } from './dialog.js';
import { ErrorNote } from './error-note.js';

interface ScaleDialogProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
  readonly onClose: () => void;
}

/** Sets the number of replicas through the scale subresource. */
export function ScaleDialog({ info, object, onClose }: ScaleDialogProps) {
  const w = useWords();
  const { client } = useCluster();
  const current = (object as { spec?: { replicas?: number } }).spec?.replicas ?? 1;
  const [replicas, setReplicas] = useState(String(current));
  const [failure, setFailure] = useState<string | undefined>();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const { name = '', namespace } = object.metadata;
      const patch = { spec: { replicas: Number(replicas) } };
      await client.resource(refFor(info), namespace).patch(name, patch, { type: 'merge', subresource: 'scale' });
      onClose();
    } catch (error) {
      setFailure(asStatusError(error).message);
    }
  };
  return (
    <Dialog title={w.scaleTitle(info.kind, object.metadata.name ?? '')} onClose={onClose}>
      <form className="dialog" style={{ padding: 0 }} onSubmit={(event) => void submit(event)}>
        <label>
          {w.replicas}{' '}
          <input
            type="number"
            min="0"
            required
            value={replicas}
            onChange={(event) => setReplicas(event.target.value)}
          />{' '}
          <span className="dim">{w.replicasNow(current)}</span>
        </label>
        {failure && <ErrorNote message={failure} />}
        <div className="bar">
          <button type="submit" className="button primary">
            {w.scale}
          </button>
          <button type="button" className="button" onClick={onClose}>
            {w.cancel}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
