import { writeJson } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { withEnv } from '../commands/set/env.js';
import { withImages } from '../commands/set/image.js';
import { patternOf, withResources } from '../commands/set/resources.js';
import { withSubjects } from '../commands/set/subject.js';
import { noPodTemplate, patchToward } from '../commands/set/update-objects.js';
import type { Taint, TaintChanges } from '../commands/taint.js';
import { changeTaints } from '../commands/taint.js';
import type { Info } from '../resources/info.js';
import { typedForm } from '../resources/object-schema.js';
import { mapContainers, withPodSpec } from '../resources/pod-template.js';
import { type Fields, recordAt, recordsAt, sortKeys, textAt } from '../values.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';
import { parametersOf, type WriteOptions } from './write.js';

export type { Taint };

/** Sets the images of containers of a workload; `*` stands for all of them. */
export function setImage(
  session: Session,
  resource: string,
  images: Readonly<Record<string, string>>,
  options: WriteOptions = {},
): Promise<Fields> {
  const changes = new Map(Object.entries(images));
  return changePods(session, resource, {
    manager: 'kubectl-set',
    options,
    change: (spec) => withImages(spec, changes),
  });
}

export interface ContainerOptions extends WriteOptions {
  /** Names of the containers, with stars for any letters; all by default. */
  readonly containers?: string;
}

/** Sets variables of containers; `null` removes one. */
export function setEnv(
  session: Session,
  resource: string,
  variables: Readonly<Record<string, string | null>>,
  options: ContainerOptions & { readonly overwrite?: boolean } = {},
): Promise<Fields> {
  const all = Object.entries(variables);
  const changes = {
    set: all.flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
    remove: all.flatMap(([name, value]) => (value === null ? [name] : [])),
  };
  const { overwrite = true } = options;
  const change = (container: Fields, info: Info) => withEnv(container, changes, { info, overwrite });
  return changeContainers(session, resource, { options, change });
}

/** Sets requests and limits of containers. */
export function setResources(
  session: Session,
  resource: string,
  {
    limits = {},
    requests = {},
  }: { readonly limits?: Readonly<Record<string, string>>; readonly requests?: Readonly<Record<string, string>> },
  options: ContainerOptions = {},
): Promise<Fields> {
  const update = { limits: { ...limits }, requests: { ...requests } };
  return changeContainers(session, resource, { options, change: (container) => withResources(container, update) });
}

/** Sets the service account of the pods of a workload. */
export function setServiceAccount(
  session: Session,
  resource: string,
  serviceAccountName: string,
  options: WriteOptions = {},
): Promise<Fields> {
  const change = (spec: Fields) => ({ ...spec, serviceAccountName });
  return changePods(session, resource, { manager: 'kubectl-set', options, change });
}

/** Sets the labels of the pods that a service sends to. */
export async function setSelector(
  session: Session,
  service: string,
  selector: Readonly<Record<string, string>>,
  options: WriteOptions = {},
): Promise<Fields> {
  const info = await infoOf(session, service.includes('/') ? service : `service/${service}`, options.namespace);
  if (textAt(info.object, 'kind') !== 'Service')
    throw new CommandError('setting a selector is only supported for Services');
  const body = { spec: { selector: { $patch: 'replace', ...selector } } };
  return (await session.helper()).patch(info, { type: 'strategic', body }, parametersOf(options, 'kubectl-set'));
}

export interface Subject {
  readonly kind: 'User' | 'Group' | 'ServiceAccount';
  readonly name: string;
  /** Of a service account. */
  readonly namespace?: string;
}

/** Adds subjects to a role binding or cluster role binding. */
export async function addSubjects(
  session: Session,
  binding: string,
  subjects: readonly Subject[],
  options: WriteOptions = {},
): Promise<Fields> {
  const info = await infoOf(session, binding, options.namespace);
  if (!['RoleBinding', 'ClusterRoleBinding'].includes(textAt(info.object, 'kind')))
    throw new CommandError('setting subjects is only supported for RoleBinding/ClusterRoleBinding');
  const added = subjects.map((one) => ({
    kind: one.kind,
    name: one.name,
    ...(one.kind === 'ServiceAccount' ? { namespace: one.namespace ?? session.namespace } : { apiGroup: rbacGroup }),
  }));
  const body = { subjects: withSubjects(recordsAt(info.object, 'subjects'), added) };
  return (await session.helper()).patch(info, { type: 'merge', body }, parametersOf(options, 'kubectl-set'));
}

const rbacGroup = 'rbac.authorization.k8s.io';

/** Adds and removes taints of a node. One that it has already is a failure unless `overwrite` is set. */
export async function taint(
  session: Session,
  node: string,
  { add = [], remove = [] }: Partial<TaintChanges>,
  options: WriteOptions & { readonly overwrite?: boolean } = {},
): Promise<Fields> {
  const info = await infoOf(session, `node/${node}`);
  const { taints } = changeTaints(info, { add, remove }, options.overwrite ?? false);
  if (options.dryRun === 'client') return { ...info.object, spec: { ...recordAt(info.object, 'spec'), taints } };
  const body = { spec: { taints: taints.length > 0 ? taints : null } };
  return (await session.helper()).patch(info, { type: 'merge', body }, parametersOf(options, 'kubectl-taint'));
}

interface ContainerChange {
  readonly options: ContainerOptions;
  readonly change: (container: Fields, info: Info) => Fields;
}

function changeContainers(session: Session, resource: string, { options, change }: ContainerChange): Promise<Fields> {
  const pattern = patternOf(options.containers ?? '*');
  return changePods(session, resource, {
    manager: 'kubectl-set',
    options,
    change: (spec, info) =>
      mapContainers(spec, (container) =>
        pattern.test(textAt(container, 'name')) ? change(container, info) : container,
      ),
  });
}

interface PodChange {
  readonly manager: string;
  readonly options: WriteOptions;
  readonly change: (spec: Fields, info: Info) => Fields;
}

/** Changes the pod spec of a workload. A change without effect is not sent. */
async function changePods(
  session: Session,
  resource: string,
  { manager, options, change }: PodChange,
): Promise<Fields> {
  const info = await infoOf(session, resource, options.namespace);
  const before = await typedForm(info.object ?? {});
  const after = withPodSpec(before, (spec) => change(spec, info));
  if (!after) throw noPodTemplate(info, before);
  const isSame = writeJson(sortKeys(before)) === writeJson(sortKeys(after));
  if (isSame || options.dryRun === 'client') return after;
  return patchToward(await session.helper(), info, { before, after, parameters: parametersOf(options, manager) });
}
