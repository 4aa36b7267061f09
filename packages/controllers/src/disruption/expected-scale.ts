import { type autoscalingv1, type Pod, refs } from '@coracle/api';
import {
  controllerOf,
  isNotFound,
  type OwnerReference,
  parseApiVersion,
  type ResourceRef,
} from '@coracle/apimachinery';
import { refOf } from '@coracle/client';
import type { ControllerContext } from '../controller.js';

/** A controller with a scale. */
interface Scaled {
  readonly uid: string;
  readonly replicas: number;
}

export interface ExpectedScale {
  readonly total: number;
  /** Pods without a controller, whose expected number is unknown. */
  readonly unmanaged: readonly string[];
}

/** Sum of the scales of the controllers of these pods. Fails if one has no scale. */
export async function expectedScale(pods: readonly Pod[], context: ControllerContext): Promise<ExpectedScale> {
  const byReference = new Map<string, Scaled>();
  const scales = new Map<string, number>();
  const unmanaged: string[] = [];
  for (const pod of pods) {
    const reference = controllerOf(pod);
    if (!reference) {
      unmanaged.push(pod.metadata.name ?? '');
      continue;
    }
    const found = byReference.get(reference.uid) ?? (await findScale(reference, pod, context));
    if (!found) throw new Error(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
    byReference.set(reference.uid, found);
    scales.set(found.uid, found.replicas);
  }
  return { total: [...scales.values()].reduce((sum, replicas) => sum + replicas, 0), unmanaged };
}

type ScaledObject = { readonly metadata: Pod['metadata']; readonly spec?: { readonly replicas?: number } };

const scaledKinds: readonly ResourceRef<ScaledObject>[] = [
  refs.replicaSets,
  refs.deployments,
  refs.statefulSets,
  refs.replicationControllers,
];

/** Caches the objects of built-in controllers. */
export function keepScales({ informers }: ControllerContext): void {
  for (const ref of scaledKinds) informers.for(ref);
}

/** For a replica set of a deployment, the scale of the deployment. */
async function findScale(
  reference: OwnerReference,
  { metadata }: Pod,
  context: ControllerContext,
): Promise<Scaled | undefined> {
  const { namespace = '' } = metadata;
  const group = parseApiVersion(reference.apiVersion)?.group;
  const ref = scaledKinds.find((one) => one.kind === reference.kind && one.group === group);
  if (!ref) return await askForScale(reference, namespace, context);
  const cached = context.informers.for(ref).get(`${namespace}/${reference.name}`);
  // The cache may not have it yet, and failures are not retried: only the server can confirm that it does not exist.
  const found =
    cached?.metadata.uid === reference.uid
      ? cached
      : await context.client.resource(ref, namespace).get(reference.name).catch(undefinedIfNotFound);
  if (found?.metadata.uid !== reference.uid) return undefined;
  const parent = ref.kind === 'ReplicaSet' ? controllerOf(found) : undefined;
  if (parent?.kind === 'Deployment') {
    const deployment = await findScale(parent, { metadata }, context);
    if (deployment) return deployment;
  }
  return { uid: reference.uid, replicas: found.spec?.replicas ?? 1 };
}

/** For custom resources, the scale subresource. */
async function askForScale(
  { apiVersion, kind, name, uid }: OwnerReference,
  namespace: string,
  { catalog, client }: ControllerContext,
): Promise<Scaled | undefined> {
  const version = parseApiVersion(apiVersion);
  const info = version && (await catalog.byKind({ ...version, kind }));
  if (!info) return undefined;
  if (!info.subresources.some((one) => one.name === 'scale')) {
    throw new Error(`${info.resource}${info.group && `.${info.group}`} does not implement the scale subresource`);
  }
  const scale = await client
    .resource(refOf(info), namespace)
    .getSubresource<autoscalingv1.Scale>(name, 'scale')
    .catch(undefinedIfNotFound);
  return scale?.metadata.uid === uid ? { uid, replicas: scale.spec?.replicas ?? 0 } : undefined;
}

function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
