import { asStatusError, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { refs } from '../data/refs.js';
import { useLive } from '../data/use-live.js';
import { ageOf } from '../model/age.js';
import { idOf, refFor } from '../model/catalog.js';
import { type Revision, revisionsOf } from '../model/revisions.js';
import { useWords } from '../words/use-words.js';
import { Dialog } from './dialog.js';
import { ErrorNote } from './error-note.js';
import { useNow } from './use-now.js';

interface RollbackDialogProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
  readonly onClose: () => void;
}

/** Rolls a workload back to an earlier revision, as `kubectl rollout undo` does. */
export function RollbackDialog({ info, object, onClose }: RollbackDialogProps) {
  const w = useWords();
  const { client } = useCluster();
  const now = useNow();
  const { name = '', namespace } = object.metadata;
  const ref = idOf(info) === 'deployments.apps' ? refs.replicaSets : refs.controllerRevisions;
  const { items, state } = useLive({ ref, namespace });
  const [failure, setFailure] = useState<string | undefined>();
  const goBack = async ({ patch }: Revision) => {
    try {
      await client.resource(refFor(info), namespace).patch(name, patch.body, { type: patch.type });
      onClose();
    } catch (error) {
      setFailure(asStatusError(error).message);
    }
  };
  const revisions = revisionsOf(object, items);
  return (
    <Dialog title={w.rollBackTitle(info.kind, name)} onClose={onClose}>
      {state.at === 'failed' && <ErrorNote message={state.message ?? ''} />}
      <div className="scroll-x">
        <table>
          <thead>
            <tr>
              <th className="number">{w.revision}</th>
              <th>{w.age}</th>
              <th>{w.image}</th>
              <th>{w.cause}</th>
              <th>
                <span className="hidden-visually">{w.rollBack}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {revisions.map((revision) => (
              <tr key={revision.number}>
                <td className="number">{revision.number}</td>
                <td>{ageOf(revision.created, now)}</td>
                <td className="mono">{revision.images.join(', ')}</td>
                <td>{revision.cause}</td>
                <td>
                  {revision.isCurrent ? (
                    w.current
                  ) : (
                    <button type="button" className="button" onClick={() => void goBack(revision)}>
                      {w.rollBack}
                    </button>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {failure && <ErrorNote message={failure} />}
      <div>
        <button type="button" className="button" onClick={onClose}>
          {w.cancel}
        </button>
      </div>
    </Dialog>
  );
}
