import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { formatTime, isNotFound } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { Client } from '@coracle/client';
import { type ExtendedClaim, toCreate } from './extended-resources.js';

const protection = 'resource.kubernetes.io/delete-protection';

export interface Reservation {
  readonly claim: resourcev1.ResourceClaim;
  readonly pod: Pod;
  readonly allocation: resourcev1.AllocationResult | undefined;
  readonly now: Millis;
}

/**
 * Adds the finalizer to a claim that gets devices, then writes its allocation and reservation. Resolves to the claim
 * after that.
 */
export async function reserveClaim(
  client: Client,
  { claim, pod, allocation, now }: Reservation,
): Promise<resourcev1.ResourceClaim> {
  const { name: claimName = '', namespace } = claim.metadata;
  const { name = '', uid = '' } = pod.metadata;
  const api = client.resource(refs.resourceClaims, namespace);
  let current = await api.get(claimName);
  if (current.metadata.uid !== claim.metadata.uid) throw new Error(`resourceclaim "${claimName}" was replaced`);
  const reservedFor = current.status?.reservedFor ?? [];
  if (current.status?.allocation && reservedFor.some((consumer) => consumer.uid === uid)) return current;
  const { finalizers = [] } = current.metadata;
  if (!current.status?.allocation && !finalizers.includes(protection))
    current = await api.update({
      ...current,
      metadata: { ...current.metadata, finalizers: [...finalizers, protection] },
    });
  const result = current.status?.allocation ?? allocation;
  if (!result) throw new Error(`resourceclaim "${claimName}" lost its allocation`);
  return api.updateStatus({
    ...current,
    status: {
      ...current.status,
      allocation: { allocationTimestamp: formatTime(now), ...result },
      reservedFor: [...reservedFor, { resource: 'pods', name, uid }],
    },
  });
}

/** Removes the pod from the claim's `reservedFor`; the claim keeps its devices. */
export async function releaseClaim(
  client: Client,
  { metadata: { name = '', namespace, uid } }: resourcev1.ResourceClaim,
  pod: Pod,
): Promise<void> {
  const status = { reservedFor: [{ $patch: 'delete', uid: pod.metadata.uid }] };
  await client
    .resource(refs.resourceClaims, namespace)
    .patch(name, { metadata: { uid }, status }, { type: 'strategic', subresource: 'status' });
}

/** Whether the claim is reserved for no pod, or for this pod only. */
export function isFreeFor({ metadata }: Pod, { status }: resourcev1.ResourceClaim): boolean {
  return (status?.reservedFor ?? []).every(({ uid }) => uid === metadata.uid);
}

/** Deallocates a claim, unless another pod has reserved it. */
export async function deallocateClaim(client: Client, claim: resourcev1.ResourceClaim, pod: Pod): Promise<boolean> {
  const { name = '', namespace, uid } = claim.metadata;
  const api = client.resource(refs.resourceClaims, namespace);
  const current = await api.get(name);
  if (current.metadata.uid !== uid || !current.status?.allocation || !isFreeFor(pod, current)) return false;
  await api.updateStatus({ ...current, status: {} });
  return true;
}

/** Creates the claim for the extended resources of a pod. */
export function createExtendedClaim(client: Client, { claim }: ExtendedClaim): Promise<resourcev1.ResourceClaim> {
  return client.resource(refs.resourceClaims, claim.metadata.namespace).create(toCreate(claim));
}

/** Writes the use of the claim by containers into the pod's status. */
export async function nameExtendedClaim(
  client: Client,
  { metadata }: Pod,
  { resourceClaimName, mappings }: { readonly resourceClaimName: string; readonly mappings: ExtendedClaim['mappings'] },
): Promise<void> {
  const status = { extendedResourceClaimStatus: { requestMappings: [...mappings], resourceClaimName } };
  await client
    .resource(refs.pods, metadata.namespace)
    .patch(
      metadata.name ?? '',
      { metadata: { uid: metadata.uid }, status },
      { type: 'strategic', subresource: 'status' },
    );
}

/** Deletes an unused claim, with or without finalizers. */
export async function discardClaim(client: Client, { metadata }: resourcev1.ResourceClaim): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  const api = client.resource(refs.resourceClaims, namespace);
  try {
    const current = await api.get(name);
    if (current.metadata.uid !== uid) return;
    const { finalizers = [] } = current.metadata;
    if (finalizers.includes(protection)) {
      const left = finalizers.filter((finalizer) => finalizer !== protection);
      await api.update({ ...current, metadata: { ...current.metadata, finalizers: left } });
    }
    await api.delete(name, uid ? { preconditions: { uid } } : {});
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
