import { asStatusError, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { useState } from 'react';
import { type Cluster, useCluster } from '../data/cluster.js';
import { may } from '../model/access-rules.js';
import { idOf, refFor } from '../model/catalog.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';
import { ErrorNote } from './error-note.js';
import { RollbackDialog } from './rollback-dialog.js';
import { ScaleDialog } from './scale-dialog.js';

interface ObjectActionsProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
  readonly onDelete: () => void;
}

const restartable = new Set(['deployments.apps', 'statefulsets.apps', 'daemonsets.apps']);

/** Actions on an object, according to the user's permissions. Past states are read-only. */
export function ObjectActions({ info, object, onDelete }: ObjectActionsProps) {
  const w = useWords();
  const cluster = useCluster();
  const { query } = useRoute();
  const [open, setOpen] = useState<'scale' | 'rollback' | undefined>();
  const [outcome, setOutcome] = useState<{ failure?: string; done?: string }>({});
  const close = () => setOpen(undefined);
  const { access } = cluster;
  const id = idOf(info);
  if (query.has('at')) return null;
  const act = (action: () => Promise<unknown>, done: string) => () =>
    void action().then(
      () => setOutcome({ done }),
      (error: unknown) => setOutcome({ failure: asStatusError(error).message }),
    );
  const scales = info.subresources.some(({ name }) => name === 'scale');
  const node = id === 'nodes' ? (object as { spec?: { unschedulable?: boolean } }).spec : undefined;
  return (
    <>
      <div className="bar">
        {scales && may(access, 'update', { ...info, resource: `${info.resource}/scale` }) && (
          <button type="button" className="button" onClick={() => setOpen('scale')}>
            {w.scale}
          </button>
        )}
        {restartable.has(id) && may(access, 'patch', info) && (
          <>
            <button type="button" className="button" onClick={act(() => restart(cluster, info, object), w.restarted)}>
              {w.restart}
            </button>
            <button type="button" className="button" onClick={() => setOpen('rollback')}>
              {w.rollBack}
            </button>
          </>
        )}
        {node && may(access, 'patch', info) && (
          <button
            type="button"
            className="button"
            onClick={act(() => cordon(cluster, object, !node.unschedulable), w.saved)}
          >
            {node.unschedulable ? w.uncordon : w.cordon}
          </button>
        )}
        {id === 'cronjobs.batch' && may(access, 'create', { group: 'batch', resource: 'jobs' }) && (
          <button type="button" className="button" onClick={act(() => trigger(cluster, object), w.triggered)}>
            {w.runNow}
          </button>
        )}
        {may(access, 'delete', info) && (
          <button type="button" className="button danger" onClick={onDelete}>
            {w.delete}
          </button>
        )}
        {outcome.done && <span role="status">{outcome.done}</span>}
      </div>
      {outcome.failure && <ErrorNote message={outcome.failure} />}
      {open === 'scale' && <ScaleDialog info={info} object={object} onClose={close} />}
      {open === 'rollback' && <RollbackDialog info={info} object={object} onClose={close} />}
    </>
  );
}

/** As `kubectl rollout restart` does it: another annotation makes another template. */
function restart({ client }: Cluster, info: ResourceInfo, { metadata }: KubeObject): Promise<unknown> {
  const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
  const patch = { spec: { template: { metadata: { annotations } } } };
  return client.resource(refFor(info), metadata.namespace).patch(metadata.name ?? '', patch, { type: 'strategic' });
}

function cordon({ client, catalog }: Cluster, { metadata }: KubeObject, unschedulable: boolean): Promise<unknown> {
  const info = catalog.find('nodes');
  if (!info) throw new Error('there are no nodes');
  return client.resource(refFor(info)).patch(metadata.name ?? '', { spec: { unschedulable } }, { type: 'strategic' });
}

/** As `kubectl create job --from` does it. */
function trigger({ client, catalog }: Cluster, cronJob: KubeObject): Promise<unknown> {
  const info = catalog.find('jobs.batch');
  if (!info) throw new Error('there are no jobs');
  const { metadata, spec } = cronJob as KubeObject & { spec?: { jobTemplate?: { metadata?: object; spec?: object } } };
  const job = {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      ...spec?.jobTemplate?.metadata,
      generateName: `${metadata.name}-`,
      annotations: { 'cronjob.kubernetes.io/instantiate': 'manual' },
      ownerReferences: [
        {
          apiVersion: 'batch/v1',
          kind: 'CronJob',
          name: metadata.name ?? '',
          uid: metadata.uid ?? '',
          controller: true,
        },
      ],
    },
    spec: spec?.jobTemplate?.spec,
  };
  return client.resource(refFor(info), metadata.namespace).create(job);
}
