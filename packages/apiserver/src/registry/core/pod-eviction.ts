import { type Pod, type PodDisruptionBudget, type policyv1, refs } from '@coracle/api';
import {
  badRequest,
  isConflict,
  type KubeObject,
  LabelSelector,
  notFound,
  type StatusError,
  setCondition,
  unexplainedFailure,
} from '@coracle/apimachinery';
import { deepCopy } from '@coracle/base';
import { AdmissionChain } from '../../admission/admission-chain.js';
import { checkDeleteOptions, type DeleteOptions } from '../delete-options.js';
import type { SubresourceCall, SubresourceHandler } from '../subresource.js';
import { type Preconditions, statusEndpoint } from '../update-object.js';
import type { WriteRequest } from '../write-request.js';
import { evictionRefusal, isFreeOfBudget, needsNoBudget, notYetKnown, withDisruption } from './eviction-rules.js';

const noAdmission = new AdmissionChain([]);
const attempts = 20;

/** One eviction in progress. */
interface Eviction {
  readonly call: SubresourceCall<'objects' | 'writer' | 'registry' | 'clock'>;
  readonly options: NonNullable<policyv1.Eviction['deleteOptions']>;
  readonly dryRun: boolean;
}

/** `pods/x/eviction`: deletes a pod if its disruption budget allows that. */
export const podEviction: SubresourceHandler = {
  async create(call, body) {
    const { deleteOptions: options = {}, metadata } = body as policyv1.Eviction;
    if (metadata.name !== call.write.name) throw badRequest('name in URL does not match name in Eviction object');
    checkDeleteOptions(options as DeleteOptions);
    const dryRun = call.write.options.dryRun || (options.dryRun?.length ?? 0) > 0;
    await evict({ call, options, dryRun });
    return { object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
  },
};

/**
 * A pod that needs no budget is read again if it has changed, unless the client gave a resourceVersion as a
 * precondition.
 */
async function evict(eviction: Eviction): Promise<void> {
  const pinned = namesVersion(eviction);
  for (let attempt = 1; ; attempt++) {
    const pod = await readPod(eviction.call);
    if (!needsNoBudget(pod)) return await evictWithinBudget(eviction, pod);
    // A pending pod may start concurrently.
    const mayBegin = pod.status?.phase === 'Pending' && !pod.metadata.deletionTimestamp;
    try {
      return await deletePod(eviction, mayBegin ? versionOf(pod) : {});
    } catch (error) {
      if (!isConflict(error) || pinned || attempt >= attempts) throw error;
    }
  }
}

/** The client selected this version of the pod: after a change the client has to decide again. */
function namesVersion({ options }: Eviction): boolean {
  return options.preconditions?.resourceVersion !== undefined;
}

async function readPod({ parts, write }: SubresourceCall<'objects'>): Promise<Pod> {
  const pod = await parts.objects.getFresh(refs.pods, write.namespace, write.name);
  if (!pod) throw notFound(write.resource.info, write.name);
  return pod;
}

async function evictWithinBudget(eviction: Eviction, pod: Pod): Promise<void> {
  const [budget, ...others] = budgetsOf(eviction.call, pod);
  if (others.length > 0) throw severalBudgets();
  if (budget && isFreeOfBudget(pod, budget)) {
    await deletePod(eviction, versionOf(pod)).catch((error: unknown) => {
      throw isConflict(error) && !namesVersion(eviction) ? notYetKnown(budget.metadata.name ?? '') : error;
    });
    return;
  }
  if (budget) await takeFrom(budget, eviction, pod);
  await deletePod(eviction, {});
}

function budgetsOf({ parts, write }: SubresourceCall<'objects'>, pod: Pod): PodDisruptionBudget[] {
  return parts.objects
    .list(refs.podDisruptionBudgets, write.namespace)
    .filter(({ spec }) => LabelSelector.fromObject(spec?.selector).matches(pod.metadata.labels));
}

/** Checked on the version that is written, so that two evictions never share one disruption. */
async function takeFrom(budget: PodDisruptionBudget, { call, dryRun }: Eviction, pod: Pod): Promise<void> {
  const { parts, write } = call;
  const take = (current: PodDisruptionBudget) => {
    const refusal = evictionRefusal(current);
    if (refusal) throw refusal;
    return withDisruption(current, pod.metadata.name ?? '', parts.clock.now());
  };
  const { name = '' } = budget.metadata;
  if (dryRun) take(budget);
  else await parts.writer.updateStatus(refs.podDisruptionBudgets, write.namespace, name, take);
}

/** The condition reports to the pod's controller that the pod was evicted. */
async function deletePod({ call, options, dryRun }: Eviction, pinned: Preconditions): Promise<void> {
  const { parts, write } = call;
  const request: WriteRequest = { ...write, subresource: '', options: { ...write.options, dryRun } };
  let preconditions: Preconditions = { ...pinned, ...options.preconditions };
  if (!dryRun) {
    const marked = await markAsTarget(call, preconditions);
    if (preconditions.resourceVersion !== undefined) preconditions = { ...preconditions, ...versionOf(marked) };
  }
  const { gracePeriodSeconds, propagationPolicy, orphanDependents } = options;
  // Admission plugins have already seen the eviction.
  await parts.registry.withAdmission(noAdmission).delete(request, {
    ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds }),
    ...(orphanDependents !== undefined && { orphanDependents }),
    ...(propagationPolicy !== undefined && {
      propagationPolicy: propagationPolicy as 'Orphan' | 'Background' | 'Foreground',
    }),
    preconditions,
  });
}

async function markAsTarget(
  { parts, write }: SubresourceCall<'registry' | 'clock'>,
  preconditions: Preconditions,
): Promise<KubeObject> {
  const request: WriteRequest = { ...write, subresource: 'status' };
  const { stored } = await parts.registry.withAdmission(noAdmission).update(request, {
    endpoint: statusEndpoint(request),
    preconditions,
    change: ({ object }) => {
      const pod = deepCopy(object) as Pod;
      const condition = {
        type: 'DisruptionTarget',
        status: 'True',
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
        ...(pod.metadata.generation !== undefined && { observedGeneration: pod.metadata.generation }),
      };
      const conditions = [...setCondition(pod.status?.conditions, condition, parts.clock.now())];
      delete pod.metadata.resourceVersion;
      return { ...pod, status: { ...pod.status, conditions } };
    },
  });
  return stored.object;
}

function versionOf({ metadata }: KubeObject): Preconditions {
  return { resourceVersion: metadata.resourceVersion };
}

function severalBudgets(): StatusError {
  const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
  return unexplainedFailure(message);
}
