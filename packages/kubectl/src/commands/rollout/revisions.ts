import { applyStrategicMergePatch } from '@coracle/apimachinery';
import { CommandError } from '../../command/command-error.js';
import type { Context } from '../../command/context.js';
import { formatSelector } from '../../describe/writer.js';
import type { Info } from '../../resources/info.js';
import { schemaOfObject } from '../../resources/object-schema.js';
import { RequestHelper, withQuery } from '../../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt } from '../../values.js';

/** One revision of a workload: the object that stores it, and its template. */
export interface Revision {
  readonly number: number;
  readonly changeCause: string;
  readonly object: Fields;
  /** What the history prints of it in other formats: a ReplicaSet, or the workload as it was. */
  readonly shown: Fields;
  readonly template: Fields;
}

const revisionAnnotation = 'deployment.kubernetes.io/revision';
export const causeAnnotation = 'kubernetes.io/change-cause';

/** The revisions of a workload, the oldest first. */
export async function revisionsOf(
  { factory }: Pick<Context, 'factory'>,
  { object = {}, namespace }: Info,
): Promise<Revision[]> {
  const kind = textAt(object, 'kind');
  const helper = new RequestHelper(await factory.client());
  const labelSelector = formatSelector(recordAt(object, 'spec', 'selector'));
  const list = async (resource: string) => {
    const answer = await helper.send(
      'GET',
      withQuery(`/apis/apps/v1/namespaces/${namespace}/${resource}`, { labelSelector }),
    );
    return recordsAt(answer, 'items').filter((item) =>
      recordsAt(item, 'metadata', 'ownerReferences').some((one) => one['uid'] === textAt(object, 'metadata', 'uid')),
    );
  };
  if (kind === 'Deployment') return sorted((await list('replicasets')).map(fromReplicaSet));
  if (kind === 'DaemonSet' || kind === 'StatefulSet') {
    const items = await list('controllerrevisions');
    return sorted(await Promise.all(items.map((item) => fromControllerRevision(item, object))));
  }
  const text = JSON.stringify(groupKindText(object));
  if (!isBuiltInWorkload(object))
    throw new CommandError(
      `error retrieving history for ${text}, no visitor method exists for {${groupOf(object)} ${kind}}`,
    );
  throw new CommandError(`no history viewer has been implemented for ${text}`);
}

const workloads: readonly string[] = [
  'CronJob.batch',
  'DaemonSet.apps',
  'Deployment.apps',
  'Job.batch',
  'Pod',
  'ReplicaSet.apps',
  'ReplicationController',
  'StatefulSet.apps',
];

/** Whether the object runs pods, and is of Kubernetes itself. */
export function isBuiltInWorkload(object: Fields): boolean {
  return workloads.includes(groupKindText(object));
}

/** `Job.batch`, as messages name a kind. */
export function groupKindText(object: Fields): string {
  const group = groupOf(object);
  return group === '' ? textAt(object, 'kind') : `${textAt(object, 'kind')}.${group}`;
}

export function groupOf(object: Fields): string {
  const apiVersion = textAt(object, 'apiVersion');
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

function sorted(revisions: readonly Revision[]): Revision[] {
  return [...revisions].sort((a, b) => a.number - b.number);
}

function fromReplicaSet(set: Fields): Revision {
  const annotations = stringMapAt(set, 'metadata', 'annotations');
  const object = { apiVersion: 'apps/v1', kind: 'ReplicaSet', ...set };
  return {
    number: Number(annotations[revisionAnnotation] ?? 0),
    changeCause: annotations[causeAnnotation] ?? '',
    object,
    shown: object,
    template: recordAt(set, 'spec', 'template'),
  };
}

/** A revision holds a patch of the workload. */
async function fromControllerRevision(revision: Fields, workload: Fields): Promise<Revision> {
  const schema = await schemaOfObject(workload);
  const patched = schema ? applyStrategicMergePatch(workload, recordAt(revision, 'data'), schema) : workload;
  return {
    number: Number(revision['revision'] ?? 0),
    changeCause: stringMapAt(revision, 'metadata', 'annotations')[causeAnnotation] ?? '',
    object: { apiVersion: 'apps/v1', kind: 'ControllerRevision', ...revision },
    shown: patched,
    template: recordAt(patched, 'spec', 'template'),
  };
}
