import { CommandError } from '../../command/command-error.js';
import { type Fields, numberAt, recordAt, recordsAt, stringMapAt, textAt } from '../../values.js';
import { groupKindText } from './revisions.js';

/** The progress of a rollout, and whether it is complete. */
export interface RolloutStatus {
  readonly message: string;
  readonly done: boolean;
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';

/** The status of a rollout, from the workload alone. A rollout that failed is thrown. */
export function rolloutStatus(object: Fields, revision = 0): RolloutStatus {
  switch (textAt(object, 'kind')) {
    case 'Deployment':
      return deploymentStatus(object, revision);
    case 'DaemonSet':
      return daemonSetStatus(object);
    case 'StatefulSet':
      return statefulSetStatus(object);
    default:
      throw new CommandError(`no status viewer has been implemented for ${groupKindText(object)}`);
  }
}

function isObserved(object: Fields): boolean {
  return (numberAt(object, 'metadata', 'generation') ?? 0) <= (numberAt(object, 'status', 'observedGeneration') ?? 0);
}

function deploymentStatus(object: Fields, revision: number): RolloutStatus {
  const name = JSON.stringify(textAt(object, 'metadata', 'name'));
  const running = Number(stringMapAt(object, 'metadata', 'annotations')[revisionAnnotation] ?? 0);
  if (revision > 0 && revision !== running)
    throw new CommandError(`desired revision (${revision}) is different from the running revision (${running})`);
  if (!isObserved(object)) return { message: 'Waiting for deployment spec update to be observed...\n', done: false };
  const progressing = recordsAt(object, 'status', 'conditions').find((one) => one['type'] === 'Progressing');
  if (textAt(progressing, 'reason') === 'ProgressDeadlineExceeded')
    throw new CommandError(`deployment ${name} exceeded its progress deadline`);
  const status = recordAt(object, 'status');
  const [desired, updated, total, available] = [
    numberAt(object, 'spec', 'replicas') ?? 1,
    numberAt(status, 'updatedReplicas') ?? 0,
    numberAt(status, 'replicas') ?? 0,
    numberAt(status, 'availableReplicas') ?? 0,
  ];
  const waiting = (text: string) => ({
    message: `Waiting for deployment ${name} rollout to finish: ${text}...\n`,
    done: false,
  });
  if (updated < desired) return waiting(`${updated} out of ${desired} new replicas have been updated`);
  if (total > updated) return waiting(`${total - updated} old replicas are pending termination`);
  if (available < updated) return waiting(`${available} of ${updated} updated replicas are available`);
  return { message: `deployment ${name} successfully rolled out\n`, done: true };
}

function daemonSetStatus(object: Fields): RolloutStatus {
  if (textAt(object, 'spec', 'updateStrategy', 'type') !== 'RollingUpdate')
    throw new CommandError('rollout status is only available for RollingUpdate strategy type');
  const name = JSON.stringify(textAt(object, 'metadata', 'name'));
  if (!isObserved(object)) return { message: 'Waiting for daemon set spec update to be observed...\n', done: false };
  const status = recordAt(object, 'status');
  const count = (field: string) => numberAt(status, field) ?? 0;
  const [desired, updated, available] = [
    count('desiredNumberScheduled'),
    count('updatedNumberScheduled'),
    count('numberAvailable'),
  ];
  const waiting = (text: string) => ({
    message: `Waiting for daemon set ${name} rollout to finish: ${text}...\n`,
    done: false,
  });
  if (updated < desired) return waiting(`${updated} out of ${desired} new pods have been updated`);
  if (available < desired) return waiting(`${available} of ${desired} updated pods are available`);
  return { message: `daemon set ${name} successfully rolled out\n`, done: true };
}

function statefulSetStatus(object: Fields): RolloutStatus {
  const [spec, status] = [recordAt(object, 'spec'), recordAt(object, 'status')];
  if (textAt(spec, 'updateStrategy', 'type') !== 'RollingUpdate')
    throw new CommandError('rollout status is only available for RollingUpdate strategy type');
  const observed = numberAt(status, 'observedGeneration') ?? 0;
  if (observed === 0 || !isObserved(object))
    return { message: 'Waiting for statefulset spec update to be observed...\n', done: false };
  const desired = numberAt(spec, 'replicas') ?? 1;
  const [ready, updated] = [numberAt(status, 'readyReplicas') ?? 0, numberAt(status, 'updatedReplicas') ?? 0];
  if (ready < desired) return { message: `Waiting for ${desired - ready} pods to be ready...\n`, done: false };
  const partition = numberAt(spec, 'updateStrategy', 'rollingUpdate', 'partition');
  if (partition !== undefined) {
    if (updated < desired - partition)
      return {
        message: `Waiting for partitioned roll out to finish: ${updated} out of ${desired - partition} new pods have been updated...\n`,
        done: false,
      };
    return { message: `partitioned roll out complete: ${updated} new pods have been updated...\n`, done: true };
  }
  const [current, update] = [textAt(status, 'currentRevision'), textAt(status, 'updateRevision')];
  if (update !== current)
    return {
      message: `waiting for statefulset rolling update to complete ${updated} pods at revision ${update}...\n`,
      done: false,
    };
  return {
    message: `statefulset rolling update complete ${numberAt(status, 'currentReplicas') ?? 0} pods at revision ${current}...\n`,
    done: true,
  };
}
