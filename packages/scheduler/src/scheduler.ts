import { type Pod, refs } from '@coracle/api';
import type { ObjectKey } from '@coracle/apimachinery';
import {
  type Activity,
  aborted,
  type Clock,
  every,
  type Logger,
  type Metrics,
  type Millis,
  monotonicNow,
  nextTurn,
  noMetrics,
  type Random,
  type Tracer,
} from '@coracle/base';
import type { Client, EventRecorder, InformerFactory } from '@coracle/client';
import { WaitingPods } from './binding-cycle.js';
import { type DebugRequests, describeCache } from './cache/cache-debugger.js';
import type { PodInfo } from './cache/pod-info.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import {
  type CompleteConfiguration,
  type SchedulerConfiguration,
  withDefaults,
} from './config/scheduler-configuration.js';
import { followCluster } from './event-handlers.js';
import type { Extender } from './extenders/extender.js';
import { type ExtenderTransport, httpExtender } from './extenders/http-extender.js';
import { atPoint } from './framework/measuring.js';
import type { PreEnqueuePlugin } from './framework/plugin.js';
import { eventsFor, mayHelp, type ProfileEntry } from './framework/profile.js';
import { groupOf, PodGroups } from './groups/pod-groups.js';
import { scheduleGroup } from './groups/schedule-group.js';
import { defaultBinder } from './plugins/default-binder.js';
import { createDefaultSelector } from './plugins/default-selector.js';
import { deviceListers } from './plugins/devices/device-listers.js';
import { TaintRules } from './plugins/devices/taint-rules.js';
import { followNamespaceLabels } from './plugins/namespace-labels.js';
import type { PluginHandle } from './plugins/registry.js';
import { volumeListers } from './plugins/volumes/volume-listers.js';
import { defaultPreemption } from './preemption/default-preemption.js';
import { NominatedPods } from './preemption/nominated-pods.js';
import { type ProfileRequest, profilesOf } from './profiles.js';
import type { QueuedPod } from './queue/queued-pod.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import { type Needs, type SchedulerParts, type SchedulerProfile, scheduleOne } from './schedule-one.js';
import { SchedulerMetrics } from './scheduler-metrics.js';
import { AttemptLog } from './why/attempt-log.js';
import { type PodExplanation, whyPod } from './why/why-pod.js';

export interface SchedulerOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** Creates the event recorders of profiles, which report under the names of their schedulers. */
  readonly recorderFor: (schedulerName: string) => EventRecorder;
  readonly metrics?: Metrics;
  /** Profiles, plugins and their arguments; the defaults of kube-scheduler if absent. Must be valid. */
  readonly configuration?: SchedulerConfiguration;
  /** Out-of-tree plugins. They run after the in-tree ones unless a profile orders them otherwise. */
  readonly extraPlugins?: readonly ProfileEntry[];
  /** Transport to extenders; required if the configuration has any. */
  readonly extenderTransport?: ExtenderTransport;
  /** Triggers dumps of the scheduler's state; none if absent. */
  readonly debugRequests?: DebugRequests;
  /** Time that an assumed pod is kept after binding without a watch event; unlimited by default. */
  readonly assumedTtlMs?: Millis;
}

export interface Scheduler extends AsyncDisposable {
  /** Starts scheduling once the informers have synced. */
  start(): void;
  /** The current results of plugins for a pod; `undefined` if it belongs to another scheduler. */
  why(pod: ObjectKey): PodExplanation | undefined;
}

const tickMs: Millis = 1_000;
/** Number of pods that are scheduled before the event loop continues. */
const batch = 32;

/** Throws an error with the problems of the configuration. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  const { informers, clock, assumedTtlMs = 0 } = options;
  const taintRules = new TaintRules({ ...options, wake: (event) => parts.queue.onEvent(event) });
  const parts = makeParts(options, taintRules);
  const following = followCluster(informers, parts);
  const debugging = options.debugRequests?.((logger) => describeCache(parts, informers, logger));
  let ticking: Disposable | undefined;
  let running: Promise<void> | undefined;
  const ended = new AbortController();
  return {
    start() {
      if (assumedTtlMs > 0) ticking = every(clock, tickMs, () => tick(parts));
      running = taintRules.follow().then(() => run(parts, informers, ended.signal));
    },
    why(key) {
      const pod = informers.for(refs.pods).get(key);
      return pod && whyPod(pod, { ...parts, volumes: volumeListers(informers), devices: deviceListers(informers) });
    },
    async [Symbol.asyncDispose]() {
      ended.abort();
      parts.queue.close();
      taintRules[Symbol.dispose]();
      ticking?.[Symbol.dispose]();
      following[Symbol.dispose]();
      debugging?.[Symbol.dispose]();
      await running;
    },
  };
}

function tick({ cache, logger }: Needs<'cache' | 'logger'>): void {
  for (const { key } of cache.expireAssumed())
    logger.info('assumed pod expired before its binding was observed', { pod: key });
}

function makeParts(options: SchedulerOptions, taintRules: TaintRules): SchedulerParts {
  const { client, clock, logger, tracer, activity, assumedTtlMs = 0 } = options;
  const configuration = withDefaults(options.configuration ?? {});
  const nominated = new NominatedPods();
  const waiting = new WaitingPods(clock);
  const metrics = new SchedulerMetrics(options.metrics ?? noMetrics);
  const extenders = extendersOf(configuration, options);
  const cache = new SchedulerCache({ clock, assumedTtlMs });
  const groups = new PodGroups({
    informers: options.informers,
    wake: (event) => queue.onEvent(event),
    nodeOf: (uid) => cache.nodeOf(uid),
  });
  const request = { nominated, waiting, metrics, extenders, groups, taintRules: () => taintRules.list() };
  const profiles = profilesOf(configuration, profileRequest(options, request));
  const profileOf = (pod: Pod) => profiles.get(pod.spec?.schedulerName ?? '');
  const [anyProfile] = profiles.values();
  const queue = new SchedulingQueue({
    clock,
    initialBackoffMs: configuration.podInitialBackoffSeconds * 1_000,
    maxBackoffMs: configuration.podMaxBackoffSeconds * 1_000,
    // All profiles have the same queue sort plugin, because they share one queue.
    compare: (a, b) => anyProfile?.queueSort.compare(a, b) ?? 0,
    mayHelp: (event, pod) => {
      const profile = profileOf(pod.info.pod);
      return profile !== undefined && mayHelp(profile, event, pod);
    },
    listensTo: (pod) => {
      const profile = profileOf(pod.info.pod);
      return profile && eventsFor(profile, pod);
    },
    gate: (pod) => {
      const profile = profileOf(pod.pod);
      if (!profile) return undefined;
      const find = () => profile.preEnqueue.find((plugin) => refuses(plugin, pod, logger))?.name;
      return atPoint(profile, 'PreEnqueue', find, (name) => (name ? 'UnschedulableAndUnresolvable' : 'Success'));
    },
    ...(options.metrics && { onMove: (move) => metrics.moved(move) }),
  });
  const shared = { client, clock, logger, tracer, activity };
  const attempts = new AttemptLog();
  return { ...shared, cache, queue, nominated, waiting, profiles, extenders, metrics, attempts, groups };
}

/** The pod's status is not written: the API server sets the condition of a gated pod. */
function refuses(plugin: PreEnqueuePlugin, pod: PodInfo, logger: Logger): boolean {
  try {
    const verdict = plugin.preEnqueue(pod);
    if (verdict.kind === 'fits') return false;
    logger.debug('pod is gated by a PreEnqueue plugin', {
      pod: pod.key,
      plugin: plugin.name,
      reasons: verdict.reasons,
    });
  } catch (error) {
    logger.error('a PreEnqueue plugin failed', { pod: pod.key, plugin: plugin.name, error });
  }
  return true;
}

/** Ignorable extenders are called last, with the nodes that the others accept. */
function extendersOf(
  { extenders }: CompleteConfiguration,
  { clock, extenderTransport: transport }: SchedulerOptions,
): Extender[] {
  if (extenders.length === 0) return [];
  if (!transport) throw new Error('the configuration names extenders, but there is no way to reach them');
  const made = extenders.map((one) => httpExtender(one, { clock, transport }));
  return [...made.filter(({ isIgnorable }) => !isIgnorable), ...made.filter(({ isIgnorable }) => isIgnorable)];
}

function profileRequest(
  options: SchedulerOptions,
  parts: Needs<'nominated' | 'waiting' | 'metrics' | 'extenders' | 'groups'> & Pick<PluginHandle, 'taintRules'>,
): ProfileRequest {
  const { client, informers, clock, random, logger, recorderFor, extraPlugins = [] } = options;
  const { metrics, taintRules, ...state } = parts;
  const namespaceLabels = followNamespaceLabels(informers);
  const budgets = informers.for(refs.podDisruptionBudgets);
  const shared = { client, clock, random, logger, ...state, budgets: () => budgets.list() };
  const onVictims = (count: number) => metrics.preempted(count);
  const now = () => monotonicNow(clock);
  return {
    extraPlugins,
    recorderFor,
    ...(options.metrics && { measuring: (schedulerName: string) => metrics.measuring(schedulerName, now) }),
    handle: (profile: () => SchedulerProfile) => ({
      client,
      informers,
      clock,
      random,
      waiting: parts.waiting,
      groups: parts.groups,
      taintRules,
      binder: defaultBinder(client),
      recorder: () => profile().recorder,
      preemption: (args) => defaultPreemption({ ...shared, profile, args, onVictims }),
      namespaceLabels,
      defaultSelector: createDefaultSelector(informers),
    }),
  };
}

async function run(parts: SchedulerParts, informers: InformerFactory, signal: AbortSignal): Promise<void> {
  // Without an API server they never sync.
  await Promise.race([informers.synced(), aborted(signal)]);
  const rotation = { next: 0 };
  for (let next = await parts.queue.take(); next; next = await parts.queue.take()) {
    using _busy = parts.activity.begin();
    let placed = 0;
    for (let pod: QueuedPod | undefined = next; pod; pod = ++placed < batch ? parts.queue.takeNow() : undefined) {
      const isGrouped = groupOf(pod.info.pod) !== undefined;
      const pending = isGrouped ? scheduleGroup(pod, parts, rotation) : scheduleOne(pod, parts, rotation);
      if (pending !== undefined) await pending;
    }
    await nextTurn();
  }
}
