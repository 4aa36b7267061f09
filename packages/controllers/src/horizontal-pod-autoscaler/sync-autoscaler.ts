import { type autoscalingv1, type autoscalingv2, type Pod, refs } from '@coracle/api';
import {
  formatTime,
  type KubeObject,
  keyOf,
  type LabelSelector,
  type ObjectKey,
  parseLabelSelector,
  parseQuantity,
  type ResourceInfo,
  splitObjectKey,
} from '@coracle/apimachinery';
import { deepEqual, type Millis, messageOf, type RecentMap } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import { type AutoscalerMetrics, type ScalingAction, type ScalingError, scalingAction } from './autoscaler-metrics.js';
import type { AutoscalerSelectors } from './autoscaler-selectors.js';
import { type ConditionInput, withCondition } from './conditions.js';
import { evaluateMetric, type MetricContext, MetricError, type Proposal } from './evaluate-metric.js';
import type { ReadinessSettings } from './group-pods.js';
import type { MetricsClient } from './metrics-client.js';
import {
  limitScaling,
  noHistory,
  rememberRecommendation,
  rememberRescale,
  type ScalingHistory,
} from './scaling-limits.js';

type Autoscaler = autoscalingv2.HorizontalPodAutoscaler;

export interface AutoscalerSettings extends ReadinessSettings {
  readonly downscaleMs: Millis;
  readonly tolerance: number;
}

export interface AutoscalerWork {
  readonly context: ControllerContext;
  readonly settings: AutoscalerSettings;
  readonly metrics: MetricsClient;
  /** Metrics of the controller itself. */
  readonly measured: AutoscalerMetrics;
  /** By autoscaler: recent recommendations and scalings. In memory only. */
  readonly histories: Map<ObjectKey, ScalingHistory>;
  /** The selector of each autoscaler's target. */
  readonly selectors: AutoscalerSelectors;
  /** Parsed selectors by text: scales return the same selector at every sync. */
  readonly parsedSelectors: RecentMap<string, LabelSelector>;
}

interface Target {
  readonly info: ResourceInfo;
  readonly scale: autoscalingv1.Scale;
}

/** Intermediate results of a sync. */
interface Pass {
  readonly autoscaler: Autoscaler;
  readonly work: AutoscalerWork;
  readonly now: Millis;
  status: autoscalingv2.HorizontalPodAutoscalerStatus;
  action: ScalingAction;
  error: ScalingError;
}

/** HPA-7: one sync of one autoscaler. */
export async function syncAutoscaler(autoscaler: Autoscaler, work: AutoscalerWork): Promise<void> {
  const now = work.context.clock.now();
  const status = { desiredReplicas: 0, ...autoscaler.status };
  const pass: Pass = { autoscaler, work, now, status, action: 'none', error: 'none' };
  try {
    await reconcile(pass);
  } catch (error) {
    pass.error = 'internal';
    throw error;
  } finally {
    work.measured.reconciled(pass, now);
  }
}

async function reconcile(pass: Pass): Promise<void> {
  try {
    const target = await getTarget(pass);
    if (target) await scaleTarget(pass, target);
  } finally {
    await saveStatus(pass);
  }
}

async function getTarget(pass: Pass): Promise<Target | undefined> {
  const { scaleTargetRef } = pass.autoscaler.spec;
  try {
    const info = await resourceOf(pass.work.context, scaleTargetRef);
    const scale = await scalesOf(pass, info).getSubresource<autoscalingv1.Scale>(scaleTargetRef.name, 'scale');
    const message = "the HPA controller was able to get the target's current scale";
    setCondition(pass, { type: 'AbleToScale', status: true, reason: 'SucceededGetScale', message });
    return { info, scale };
  } catch (error) {
    const message = `the HPA controller was unable to get the target's current scale: ${messageOf(error)}`;
    pass.error = 'internal';
    record(pass, 'Warning', 'FailedGetScale', messageOf(error));
    setCondition(pass, { type: 'AbleToScale', status: false, reason: 'FailedGetScale', message });
    return undefined;
  }
}

/** The version of a reference does not matter: the server converts. */
async function resourceOf(
  { catalog }: ControllerContext,
  { apiVersion = '', kind }: autoscalingv2.CrossVersionObjectReference,
): Promise<ResourceInfo> {
  const group = apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')));
  const info = await catalog.byGroupKind({ group, kind });
  if (!info) throw new Error(`no matches for kind ${JSON.stringify(kind)} in group ${JSON.stringify(group)}`);
  return info;
}

function scalesOf({ autoscaler, work }: Pass, info: ResourceInfo) {
  return work.context.client.resource<KubeObject>(info, autoscaler.metadata.namespace);
}

interface Decision {
  readonly replicas: number;
  readonly reason: string;
  readonly statuses?: readonly autoscalingv2.MetricStatus[];
}

async function scaleTarget(pass: Pass, target: Target): Promise<void> {
  const current = target.scale.spec?.replicas ?? 0;
  const { minReplicas = 1, maxReplicas } = pass.autoscaler.spec;
  rememberFirst(pass, current);
  if (current === 0 && minReplicas !== 0) {
    const message = 'scaling is disabled since the replica count of the target is zero';
    setCondition(pass, { type: 'ScalingActive', status: false, reason: 'ScalingDisabled', message });
    report(pass, { current, desired: 0, statuses: undefined });
    return;
  }
  const decision =
    current > maxReplicas
      ? { replicas: maxReplicas, reason: 'Current number of replicas above Spec.MaxReplicas' }
      : current < minReplicas
        ? { replicas: minReplicas, reason: 'Current number of replicas below Spec.MinReplicas' }
        : await decideByMetrics(pass, target);
  if (!decision) return;
  const isScaled = decision.replicas !== current && (await rescale(pass, target, decision));
  if (decision.replicas !== current && !isScaled) {
    report(pass, { current, desired: pass.status.desiredReplicas, statuses: decision.statuses });
    return;
  }
  report(pass, { current, desired: decision.replicas, statuses: decision.statuses });
  if (!isScaled) return;
  pass.status = { ...pass.status, lastScaleTime: formatTime(pass.now) };
  recordRescale(pass, current, decision.replicas);
}

/** Policies limit rescales, whatever their reason was. */
function recordRescale({ work, autoscaler, now }: Pass, current: number, result: number): void {
  const key = keyOf(autoscaler);
  const history = work.histories.get(key) ?? noHistory;
  work.histories.set(key, rememberRescale(history, { spec: autoscaler.spec, current, result, now }));
}

async function decideByMetrics(pass: Pass, target: Target): Promise<Decision | undefined> {
  const current = target.scale.spec?.replicas ?? 0;
  const evaluated = await evaluateAll(pass, target);
  if (!evaluated) return undefined;
  const { replicas: desired, metric, statuses } = evaluated;
  const { work, autoscaler, now } = pass;
  const key = keyOf(autoscaler);
  const history = work.histories.get(key) ?? noHistory;
  const input = { spec: autoscaler.spec, current, desired, now, downscaleMs: work.settings.downscaleMs };
  const { replicas, stabilized, isLimited, limit } = limitScaling({ ...input, history });
  work.histories.set(key, rememberRecommendation(history, input));
  const ready = { reason: 'ReadyForNewScale', message: 'recommended size matches current size' };
  setCondition(pass, { type: 'AbleToScale', status: true, ...(stabilized ?? ready) });
  setCondition(pass, { type: 'ScalingLimited', status: isLimited, ...limit });
  return { replicas, reason: reasonOf({ desired, current, metric }), statuses };
}

/** No reason if metrics require no change, but limits or earlier recommendations do. */
function reasonOf({ desired, current, metric }: { desired: number; current: number; metric: string }): string {
  if (desired === current) return '';
  return desired > current ? `${metric} above target` : 'All metrics below target';
}

interface Evaluated {
  readonly replicas: number;
  readonly metric: string;
  readonly statuses: readonly autoscalingv2.MetricStatus[];
}

/** HPA-9: the largest proposal is used. A metric that is not available prevents scaling down, not up. */
async function evaluateAll(pass: Pass, target: Target): Promise<Evaluated | undefined> {
  const { autoscaler, work, now } = pass;
  const current = target.scale.spec?.replicas ?? 0;
  const selector = readSelector(pass, target);
  const specs = autoscaler.spec.metrics ?? [];
  const statuses: autoscalingv2.MetricStatus[] = specs.map(() => ({ type: '' }));
  if (!selector) return fail(pass, { current, statuses: undefined, message: 'selector is required' });
  const { namespace = '' } = autoscaler.metadata;
  const matched = (pod: KubeObject) =>
    pod.metadata.namespace === namespace && selector.matches(pod.metadata.labels ?? {});
  const pods = work.context.informers.for(refs.pods).list().filter(matched);
  const ambiguity = findAmbiguity(pass, { target, selector, pods });
  if (ambiguity !== undefined) return fail(pass, { current, statuses: undefined, message: ambiguity });
  const context = {
    namespace,
    selectorText: target.scale.status?.selector ?? '',
    selector,
    pods,
    specReplicas: current,
    statusReplicas: target.scale.status?.replicas ?? 0,
    tolerances: tolerancesOf(autoscaler, work.settings),
    metrics: work.metrics,
    settings: work.settings,
    now,
    resourceOf: (reference: autoscalingv2.CrossVersionObjectReference) => resourceOf(work.context, reference),
  };
  let best: Proposal | undefined;
  const errors: MetricError[] = [];
  for (const [index, spec] of specs.entries()) {
    try {
      const proposal = await evaluate(pass, spec, context);
      statuses[index] = proposal.status;
      if (!best || proposal.replicas > best.replicas) best = proposal;
    } catch (error) {
      if (!(error instanceof MetricError)) throw error;
      record(pass, 'Warning', error.reason, error.detail);
      errors.push(error);
    }
  }
  const [first] = errors;
  if (first && (!best || best.replicas < current)) {
    const detail = `the HPA was unable to compute the replica count: ${first.detail}`;
    setCondition(pass, { type: 'ScalingActive', status: false, reason: first.reason, message: detail });
    const count = `invalid metrics (${errors.length} invalid out of ${specs.length})`;
    fail(pass, { current, statuses, message: `${count}, first error is: ${first.message}` });
    pass.error = errorOf(first);
    return undefined;
  }
  if (!best) return undefined;
  const message = `the HPA was able to successfully calculate a replica count from ${best.metric}`;
  setCondition(pass, { type: 'ScalingActive', status: true, reason: 'ValidMetricFound', message });
  return { replicas: best.replicas, metric: best.metric, statuses };
}

/** The result of one metric: its recommendation is compared with the replicas in the status. */
async function evaluate(
  { autoscaler, work }: Pass,
  spec: autoscalingv2.MetricSpec,
  context: MetricContext,
): Promise<Proposal> {
  const startedAt = work.context.clock.now();
  try {
    const proposal = await evaluateMetric(spec, context);
    const action = scalingAction(autoscaler.status?.currentReplicas ?? 0, proposal.replicas);
    work.measured.computed({ action, error: 'none' }, spec.type, startedAt);
    return proposal;
  } catch (error) {
    work.measured.computed({ action: 'none', error: errorOf(error) }, spec.type, startedAt);
    throw error;
  }
}

function errorOf(error: unknown): ScalingError {
  return error instanceof MetricError && error.reason === 'InvalidMetricSourceType' ? 'spec' : 'internal';
}

function readSelector(pass: Pass, { scale }: Target): LabelSelector | undefined {
  const text = scale.status?.selector ?? '';
  const invalid = (message: string) =>
    setCondition(pass, { type: 'ScalingActive', status: false, reason: 'InvalidSelector', message });
  if (text === '') {
    record(pass, 'Warning', 'SelectorRequired', 'selector is required');
    invalid("the HPA target's scale is missing a selector");
    return undefined;
  }
  try {
    return parsedSelector(pass.work, text);
  } catch (error) {
    const message = `couldn't convert selector into a corresponding internal selector object: ${messageOf(error)}`;
    record(pass, 'Warning', 'InvalidSelector', message);
    invalid(message);
    return undefined;
  }
}

/** Autoscalers of the same pods would revert each other's changes: none of them scales. */
function findAmbiguity(
  pass: Pass,
  {
    target,
    selector,
    pods,
  }: { readonly target: Target; readonly selector: LabelSelector; readonly pods: readonly Pod[] },
): string | undefined {
  const { autoscaler, work } = pass;
  work.selectors.set(keyOf(autoscaler), selector);
  const rivals = work.selectors.selecting(autoscaler.metadata.namespace ?? '', pods);
  if (rivals.length < 2) return undefined;
  const names = rivals.map(splitObjectKey).map(({ namespace, name }) => `{${name} ${namespace}}`);
  const message = `pods by selector ${target.scale.status?.selector} are controlled by multiple HPAs: [${names.join(' ')}]`;
  record(pass, 'Warning', 'AmbiguousSelector', message);
  setCondition(pass, { type: 'ScalingActive', status: false, reason: 'AmbiguousSelector', message });
  return message;
}

function parsedSelector({ parsedSelectors }: AutoscalerWork, text: string): LabelSelector {
  const recent = parsedSelectors.get(text);
  if (recent) return recent;
  const selector = parseLabelSelector(text);
  parsedSelectors.set(text, selector);
  return selector;
}

function tolerancesOf({ spec }: Autoscaler, { tolerance }: AutoscalerSettings) {
  const of = (rules: autoscalingv2.HPAScalingRules | undefined) =>
    rules?.tolerance === undefined ? tolerance : parseQuantity(rules.tolerance).milliValue() / 1000;
  return { up: of(spec.behavior?.scaleUp), down: of(spec.behavior?.scaleDown) };
}

function fail(
  pass: Pass,
  failure: {
    readonly current: number;
    readonly statuses: readonly autoscalingv2.MetricStatus[] | undefined;
    readonly message: string;
  },
): undefined {
  pass.error = 'internal';
  record(pass, 'Warning', 'FailedComputeMetricsReplicas', failure.message);
  report(pass, { current: failure.current, desired: pass.status.desiredReplicas, statuses: failure.statuses });
}

async function rescale(pass: Pass, { info, scale }: Target, { replicas, reason }: Decision): Promise<boolean> {
  const { name } = pass.autoscaler.spec.scaleTargetRef;
  try {
    await scalesOf(pass, info).updateSubresource(name, 'scale', { ...scale, spec: { ...scale.spec, replicas } });
  } catch (error) {
    pass.error = 'internal';
    record(pass, 'Warning', 'FailedRescale', `New size: ${replicas}; reason: ${reason}; error: ${messageOf(error)}`);
    const message = `the HPA controller was unable to update the target scale: ${messageOf(error)}`;
    setCondition(pass, { type: 'AbleToScale', status: false, reason: 'FailedUpdateScale', message });
    return false;
  }
  pass.action = scalingAction(scale.spec?.replicas ?? 0, replicas);
  const message = `the HPA controller was able to update the target scale to ${replicas}`;
  setCondition(pass, { type: 'AbleToScale', status: true, reason: 'SucceededRescale', message });
  record(pass, 'Normal', 'SuccessfulRescale', `New size: ${replicas}; reason: ${reason}`);
  return true;
}

/** The size of a target that is first seen counts as a recommendation, so it is kept for the stabilization window. */
function rememberFirst({ work, autoscaler, now }: Pass, replicas: number): void {
  const key = keyOf(autoscaler);
  if (!work.histories.has(key)) work.histories.set(key, { ...noHistory, recommendations: [{ replicas, at: now }] });
}

function report(
  pass: Pass,
  {
    current,
    desired,
    statuses,
  }: {
    readonly current: number;
    readonly desired: number;
    readonly statuses: readonly autoscalingv2.MetricStatus[] | undefined;
  },
): void {
  const { currentMetrics: _before, ...status } = pass.status;
  pass.status = {
    ...status,
    currentReplicas: current,
    desiredReplicas: desired,
    ...(statuses && { currentMetrics: [...statuses] }),
  };
}

function setCondition(pass: Pass, condition: ConditionInput): void {
  const conditions = withCondition(pass.status.conditions ?? [], condition, formatTime(pass.now));
  pass.status = { ...pass.status, conditions };
}

function record({ autoscaler, work }: Pass, type: 'Normal' | 'Warning', reason: string, message: string): void {
  const subject = { ...autoscaler, apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler' };
  work.context.recorder.event(subject, type, reason, message);
}

async function saveStatus({ autoscaler, work, status }: Pass): Promise<void> {
  if (deepEqual(status, autoscaler.status ?? { desiredReplicas: 0 })) return;
  await work.context.client
    .resource(refs.horizontalPodAutoscalers, autoscaler.metadata.namespace)
    .updateStatus({ ...autoscaler, status });
}
