import { disruptionAllowed, type Pod, type PodDisruptionBudget, type policyv1, refs, syncFailed } from '@coracle/api';
import { isNotFound, type KubeObject, keyOf, LabelSelector, type ObjectKey, setCondition } from '@coracle/apimachinery';
import { DisposableStack, deepEqual, messageOf } from '@coracle/base';
import type { ReconcileResult } from '@coracle/client';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { computeBudget, dependsOnScale } from './compute-budget.js';
import { expectedScale, keepScales } from './expected-scale.js';
import { watchStaleTargets } from './stale-targets.js';

/** Sets in the status of each disruption budget how many of its pods may be disrupted now. */
export const disruptionController: Controller = {
  name: 'disruption-controller',
  component: 'controllermanager',
  start(context) {
    const { informers } = context;
    const budgets = informers.for(refs.podDisruptionBudgets);
    keepScales(context);
    const parts = new DisposableStack();
    parts.use(
      runKeyed(context, {
        name: 'disruption',
        workers: 1,
        watch: (queue) => [
          budgets.addHandler(({ type, object }) => {
            if (type !== 'deleted') queue.add(keyOf(object));
          }),
          informers.for(refs.pods).addHandler((event) => {
            const previous = event.type === 'updated' ? event.previous : event.object;
            for (const budget of budgets.list(event.object.metadata.namespace)) {
              if (selects(budget, event.object) || selects(budget, previous)) queue.add(keyOf(budget));
            }
          }),
        ],
        reconcile: (key) => reconcile(key, context),
      }),
    );
    parts.use(watchStaleTargets(context));
    return parts;
  },
};

function selects({ spec }: PodDisruptionBudget, { metadata }: Pod): boolean {
  return LabelSelector.fromObject(spec?.selector).matches(metadata.labels);
}

async function reconcile(key: ObjectKey, context: ControllerContext): Promise<ReconcileResult | undefined> {
  const { informers, clock } = context;
  const budget = informers.for(refs.podDisruptionBudgets).get(key);
  if (!budget) return undefined;
  const pods = informers
    .for(refs.pods)
    .list(budget.metadata.namespace)
    .filter((pod) => selects(budget, pod));
  if (pods.length === 0) tell(context, budget, 'Normal', 'NoPods', 'No matching pods found');
  const scale = await scaleOf(budget, pods, context);
  if (scale === undefined) return undefined;
  const now = clock.now();
  const { status, recheckAt, notDeleted } = computeBudget({ budget, pods, expectedScale: scale, now });
  for (const pod of notDeleted) tellOfPod(context, budget, pod);
  await writeStatus(budget, status, context);
  return recheckAt === undefined ? undefined : { requeueAfterMs: recheckAt - now };
}

/** Expected number of pods; `undefined` if it cannot be determined: then no disruption is allowed. */
async function scaleOf(
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  context: ControllerContext,
): Promise<number | undefined> {
  if (!dependsOnScale(budget)) return pods.length;
  try {
    const { total, unmanaged } = await expectedScale(pods, context);
    if (unmanaged.length > 0) tell(context, budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget));
    return total;
  } catch (error) {
    const message = messageOf(error);
    const warning = `Failed to calculate the number of expected pods: ${message}`;
    tell(context, budget, 'Warning', 'CalculateExpectedPodCountFailed', warning);
    // Not retried before something changes.
    await writeStatus(budget, failedStatus(budget, message, context.clock.now()), context);
    return undefined;
  }
}

/** After a failure, no disruption is allowed. The observed generation is not updated, so evictions wait. */
function failedStatus(
  { status }: PodDisruptionBudget,
  message: string,
  now: number,
): policyv1.PodDisruptionBudgetStatus {
  const { observedGeneration } = status ?? {};
  const generation = observedGeneration !== undefined && { observedGeneration };
  const condition = { type: disruptionAllowed, status: 'False', reason: syncFailed, message, ...generation };
  return {
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    ...status,
    disruptionsAllowed: 0,
    conditions: [...setCondition(status?.conditions, condition, now)],
  };
}

async function writeStatus(
  budget: PodDisruptionBudget,
  status: policyv1.PodDisruptionBudgetStatus,
  { client }: ControllerContext,
): Promise<void> {
  if (deepEqual(status, budget.status ?? {})) return;
  // An eviction may have changed the status meanwhile: the conflict causes another sync.
  await client
    .podDisruptionBudgets(budget.metadata.namespace)
    .updateStatus({ ...budget, status })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  const selector = LabelSelector.fromObject(spec?.selector).toString();
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}

function tell(
  { recorder }: ControllerContext,
  budget: PodDisruptionBudget,
  ...[type, reason, message]: ['Normal' | 'Warning', string, string]
): void {
  const subject: KubeObject = { ...budget, apiVersion: 'policy/v1', kind: 'PodDisruptionBudget' };
  recorder.event(subject, type, reason, message);
}

function tellOfPod({ recorder, informers }: ControllerContext, { metadata }: PodDisruptionBudget, name: string): void {
  const { namespace = '' } = metadata;
  const pod = informers.for(refs.pods).get(`${namespace}/${name}`);
  if (!pod) return;
  const message = `Pod was expected by PDB ${namespace}/${metadata.name} to be deleted but it wasn't`;
  recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, 'Warning', 'NotDeleted', message);
}
