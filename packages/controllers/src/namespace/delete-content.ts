import { isTerminalPod, type Pod } from '@coracle/api';
import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { isNotFound } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { type Client, refOf } from '@coracle/client';
import type { ResourceCatalog } from '../resource-catalog.js';
import type { ContentReport } from './namespace-conditions.js';

/** Estimate for objects with finalizers of other controllers, whose duration is unknown. */
const finalizerEstimateSeconds = 15;

export interface ContentDeps {
  readonly client: Client;
  readonly catalog: ResourceCatalog;
}

/**
 * Deletes everything in a namespace that can be deleted, of every kind, and reports what is left.
 *
 * Pods are deleted first, and the rest only after they are removed: they may need their secrets and network policies to
 * the end.
 */
export async function deleteContent(namespace: string, deps: ContentDeps): Promise<ContentReport> {
  const { resources, failures } = await deps.catalog.read();
  const discoveryFailures = [...failures].map(([version, error]) => `${version}: ${messageOf(error)}`);
  const deletable = resources.filter(({ namespaced, verbs }) => namespaced && verbs.includes('delete'));
  const isPods = ({ group, resource }: ResourceInfo) => group === '' && resource === 'pods';
  const tally = new Tally();
  for (const stage of [deletable.filter(isPods), deletable.filter((info) => !isPods(info))]) {
    await Promise.all(stage.map((info) => deleteAll(info, { namespace, client: deps.client, tally })));
    if (tally.remaining.size > 0) break;
  }
  return { discoveryFailures, ...tally };
}

/** Collected results over all resources. */
class Tally {
  readonly deletionFailures: string[] = [];
  readonly remaining = new Map<string, number>();
  readonly finalizers = new Map<string, number>();
  estimateSeconds = 0;

  addRest({ group, resource }: ResourceInfo, rest: readonly KubeObject[]): void {
    if (rest.length === 0) return;
    this.remaining.set(`${resource}.${group}`, rest.length);
    const names = rest.flatMap(({ metadata }) => metadata.finalizers ?? []);
    for (const name of names) this.finalizers.set(name, (this.finalizers.get(name) ?? 0) + 1);
    const ownTime = group === '' && resource === 'pods' ? longestGrace(rest as readonly Pod[]) : 0;
    this.estimateSeconds = Math.max(this.estimateSeconds, ownTime, names.length > 0 ? finalizerEstimateSeconds : 1);
  }
}

/** Pods that have ended need no grace period. */
export function longestGrace(pods: readonly Pod[]): number {
  return pods
    .filter((pod) => !isTerminalPod(pod))
    .reduce((longest, { spec }) => Math.max(longest, Number(spec?.terminationGracePeriodSeconds ?? 0)), 0);
}

interface Target {
  readonly namespace: string;
  readonly client: Client;
  readonly tally: Tally;
}

/** Lists first: most resources have no objects in most namespaces. */
async function deleteAll(info: ResourceInfo, { namespace, client, tally }: Target): Promise<void> {
  const resource = client.resource<KubeObject>(refOf(info), namespace);
  try {
    if (!info.verbs.includes('list')) {
      await resource.deleteCollection({ propagationPolicy: 'Background' });
      return;
    }
    const { items } = await resource.list();
    if (items.length === 0) return;
    // Objects that are already being deleted need no further request, so that checking thousands of slowly terminating
    // pods is cheap.
    if (items.every(({ metadata }) => metadata.deletionTimestamp)) {
      tally.addRest(info, items);
      return;
    }
    if (info.verbs.includes('deletecollection')) await resource.deleteCollection({ propagationPolicy: 'Background' });
    else await Promise.all(items.map(({ metadata }) => resource.delete(metadata.name ?? '').catch(ignoreGone)));
    tally.addRest(info, (await resource.list()).items);
  } catch (error) {
    // A resource that was just removed (its CRD was deleted) has no content.
    if (!isNotFound(error)) tally.deletionFailures.push(messageOf(error));
  }
}

function ignoreGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
