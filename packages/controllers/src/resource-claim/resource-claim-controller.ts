import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { controllerOf, isNotFound, keyOf, type ObjectKey } from '@coracle/apimachinery';
import { DisposableStack, deepEqual, messageOf } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { dependentsOf, indexByOwner } from '../owner-index.js';
import { GeneratedClaims } from './generated-claims.js';
import { type ClaimPlan, deleteProtection, planResourceClaim } from './plan-claim.js';
import { claimFromTemplate, claimNameOf, isDone, templateClaims } from './pod-claims.js';

const fieldManager = 'ResourceClaimController';
const byTemplate = 'pods-by-claim-template';

/** Creates the claims of pods with claim templates, and removes reservations of terminated pods. */
export const resourceClaimController: Controller = {
  name: 'resourceclaim-controller',
  account: 'resource-claim-controller',
  component: 'resource_claim',
  start(context) {
    const { informers } = context;
    indexByOwner(informers.for(refs.resourceClaims));
    informers
      .for(refs.pods)
      .addIndex(byTemplate, (pod) =>
        templateClaims(pod).map(
          ({ resourceClaimTemplateName }) => `${pod.metadata.namespace}/${resourceClaimTemplateName}`,
        ),
      );
    const loops = new DisposableStack();
    loops.use(runPods(context));
    loops.use(runClaims(context));
    return loops;
  },
};

function runPods(context: ControllerContext): AsyncDisposable {
  const { informers } = context;
  const pods = informers.for(refs.pods);
  const generated = new GeneratedClaims(context);
  return runKeyed(context, {
    name: 'resource_claim_pods',
    watch: (queue) => [
      pods.addHandler(({ type, object }) => {
        if (type !== 'deleted' && object.spec?.resourceClaims?.length) queue.add(keyOf(object));
      }),
      informers.for(refs.resourceClaims).addHandler(({ object }) => {
        generated.onClaim(object);
        const owner = controllerOf(object);
        if (owner?.kind === 'Pod') queue.add(`${object.metadata.namespace}/${owner.name}`);
      }),
      informers.for(refs.resourceClaimTemplates).addHandler(({ type, object }) => {
        if (type !== 'deleted') for (const pod of pods.byIndex(byTemplate, keyOf(object))) queue.add(keyOf(pod));
      }),
    ],
    reconcile: (key) => syncPod(key, context, generated),
  });
}

async function syncPod(key: ObjectKey, context: ControllerContext, generated: GeneratedClaims): Promise<void> {
  const pod = context.informers.for(refs.pods).get(key);
  if (!pod || isDone(pod) || pod.metadata.deletionTimestamp) return;
  const statuses: { name: string; resourceClaimName: string }[] = [];
  for (const { name, resourceClaimTemplateName = '' } of templateClaims(pod)) {
    try {
      const claim = await ensureClaim(context, pod, { name, template: resourceClaimTemplateName, generated });
      statuses.push({ name, resourceClaimName: claim.metadata.name ?? '' });
    } catch (error) {
      const message = `PodResourceClaim ${name}: ${messageOf(error)}`;
      context.recorder.event(
        { ...pod, apiVersion: 'v1', kind: 'Pod' },
        'Warning',
        'FailedResourceClaimCreation',
        message,
      );
      throw error;
    }
  }
  await saveStatuses(context, pod, statuses);
  if (pod.spec?.nodeName) await reserveForScheduled(context, pod);
}

async function ensureClaim(
  { informers }: ControllerContext,
  pod: Pod,
  { name, template, generated }: ClaimReference,
): Promise<resourcev1.ResourceClaim> {
  const existing = await generated.find(pod, name);
  if (existing) return existing;
  const source = informers.for(refs.resourceClaimTemplates).get(`${pod.metadata.namespace}/${template}`);
  if (!source)
    throw new Error(
      `resource claim template "${template}": resourceclaimtemplate.resource.k8s.io "${template}" not found`,
    );
  return generated.create(pod, name, claimFromTemplate(pod, name, source));
}

interface ClaimReference {
  readonly name: string;
  readonly template: string;
  readonly generated: GeneratedClaims;
}

async function saveStatuses(
  { client }: ControllerContext,
  pod: Pod,
  statuses: readonly { name: string; resourceClaimName: string }[],
): Promise<void> {
  const { name, namespace, uid } = pod.metadata;
  if (statuses.length === 0 || deepEqual(pod.status?.resourceClaimStatuses ?? [], statuses)) return;
  const applied: Pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, uid } as Pod['metadata'],
    status: { resourceClaimStatuses: [...statuses] },
  };
  await client.resource(refs.pods, namespace).apply(applied, { fieldManager, force: true, subresource: 'status' });
}

/** A pod that was bound without the scheduler reserves the allocated claims that it names. */
async function reserveForScheduled({ client, informers }: ControllerContext, pod: Pod): Promise<void> {
  const { name = '', namespace, uid = '' } = pod.metadata;
  for (const reference of pod.spec?.resourceClaims ?? []) {
    const claim = informers.for(refs.resourceClaims).get(`${namespace}/${claimNameOf(pod, reference)}`);
    const reservedFor = claim?.status?.reservedFor ?? [];
    if (!claim?.status?.allocation || reservedFor.some((consumer) => consumer.uid === uid)) continue;
    const status = { ...claim.status, reservedFor: [...reservedFor, { resource: 'pods', name, uid }] };
    await client.resource(refs.resourceClaims, namespace).updateStatus({ ...claim, status });
  }
}

function runClaims(context: ControllerContext): AsyncDisposable {
  const { informers } = context;
  const claims = informers.for(refs.resourceClaims);
  return runKeyed(context, {
    name: 'resource_claim',
    watch: (queue) => [
      claims.addHandler(({ type, object }) => {
        if (type !== 'deleted') queue.add(keyOf(object));
      }),
      informers.for(refs.pods).addHandler(({ type, object }) => {
        if (type !== 'deleted' && !isDone(object)) return;
        for (const claim of dependentsOf(claims, object.metadata.uid ?? '')) queue.add(keyOf(claim));
        for (const reference of object.spec?.resourceClaims ?? []) {
          const name = claimNameOf(object, reference);
          if (name !== undefined) queue.add(`${object.metadata.namespace}/${name}`);
        }
      }),
    ],
    reconcile: (key) => syncClaim(key, context),
  });
}

async function syncClaim(key: ObjectKey, context: ControllerContext): Promise<void> {
  const claim = context.informers.for(refs.resourceClaims).get(key);
  if (!claim) return;
  const gone = await goneConsumers(claim, context);
  const owner = controllerOf(claim);
  const pod =
    owner?.kind === 'Pod'
      ? context.informers.for(refs.pods).get(`${claim.metadata.namespace}/${owner.name}`)
      : undefined;
  const isOwnerDone = pod !== undefined && pod.metadata.uid === owner?.uid && isDone(pod);
  await perform(context, claim, planResourceClaim({ claim, isGone: ({ uid }) => gone.has(uid), isOwnerDone }));
}

/**
 * Uids of pods with a reservation that are deleted or terminated. Pods that the cache lacks are read from the API
 * server.
 */
async function goneConsumers(
  { metadata, status }: resourcev1.ResourceClaim,
  { client, informers }: ControllerContext,
): Promise<Set<string>> {
  const gone = new Set<string>();
  for (const { name, uid, resource, apiGroup } of status?.reservedFor ?? []) {
    if (resource !== 'pods' || apiGroup) continue;
    const cached = informers.for(refs.pods).get(`${metadata.namespace}/${name}`);
    const pod = cached ?? (await client.resource(refs.pods, metadata.namespace).get(name).catch(undefinedIfNotFound));
    if (!pod || pod.metadata.uid !== uid || isDone(pod)) gone.add(uid);
  }
  return gone;
}

function undefinedIfNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}

async function perform({ client }: ControllerContext, claim: resourcev1.ResourceClaim, plan: ClaimPlan): Promise<void> {
  if (plan.kind === 'nothing') return;
  const { namespace, name = '', uid } = claim.metadata;
  const claims = client.resource(refs.resourceClaims, namespace);
  const { allocation, reservedFor: _before, ...rest } = claim.status ?? {};
  const status = {
    ...rest,
    ...(allocation && !plan.deallocates && { allocation }),
    ...(plan.reservedFor.length > 0 && { reservedFor: [...plan.reservedFor] }),
  };
  let current = deepEqual(status, claim.status ?? {}) ? claim : await claims.updateStatus({ ...claim, status });
  const { finalizers = [] } = current.metadata;
  if (plan.deallocates && finalizers.includes(deleteProtection)) {
    const left = finalizers.filter((finalizer) => finalizer !== deleteProtection);
    current = await claims.update({ ...current, metadata: { ...current.metadata, finalizers: left } });
  }
  if (plan.deletes) await claims.delete(name, uid ? { preconditions: { uid } } : {}).catch(undefinedIfNotFound);
}
