import { refs } from '@coracle/api';
import { type Activity, type Clock, every, type Logger, nextTurn, type Random, type Tracer } from '@coracle/base';
import type { Client, EventRecorder, InformerFactory } from '@coracle/client';
import { WaitingPods } from './binding-cycle.js';
import { SchedulerCache } from './cache/scheduler-cache.js';
import { followCluster } from './event-handlers.js';
import { makeProfile, mayHelp, type Profile, type ProfileEntry } from './framework/profile.js';
import { defaultBinder } from './plugins/default-binder.js';
import { defaultPlugins } from './plugins/default-profile.js';
import { createDefaultSelector } from './plugins/default-selector.js';
import { reportUnscheduled } from './pod-status.js';
import { defaultPreemption } from './preemption/default-preemption.js';
import { NominatedPods } from './preemption/nominated-pods.js';
import { SchedulingQueue } from './queue/scheduling-queue.js';
import { type SchedulerParts, scheduleOne } from './schedule-one.js';

export interface SchedulerOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  /** Only pods that name it are scheduled. */
  readonly schedulerName?: string;
  /** Plugins beyond the default ones. */
  readonly extraPlugins?: readonly ProfileEntry[];
}

export interface Scheduler extends AsyncDisposable {
  /** Begins to schedule once the informers have synced. */
  start(): void;
}

/** How long an assumed pod may go unconfirmed after it was bound. */
const assumedTtlMs = 15 * 60_000;
const expireEveryMs = 1_000;
/** So many pods are placed before others get a turn. */
const batch = 32;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { informers, clock, schedulerName = 'default-scheduler' } = options;
  const parts = makeParts(options);
  const following = followCluster(informers, parts, schedulerName);
  let expiring: Disposable | undefined;
  let running: Promise<void> | undefined;
  return {
    start() {
      expiring = every(clock, expireEveryMs, () => void parts.cache.expireAssumed());
      running = run(parts, informers);
    },
    async [Symbol.asyncDispose]() {
      parts.queue.close();
      expiring?.[Symbol.dispose]();
      following[Symbol.dispose]();
      await running;
    },
  };
}

function makeParts(options: SchedulerOptions): SchedulerParts {
  const { client, informers, clock, recorder, random } = options;
  const namespaces = informers.for(refs.namespaces);
  const budgets = informers.for(refs.podDisruptionBudgets);
  const nominated = new NominatedPods();
  const waiting = new WaitingPods(clock);
  const profile: Profile = makeProfile([
    ...defaultPlugins({
      binder: defaultBinder(client),
      preemption: defaultPreemption({
        client,
        clock,
        random,
        recorder,
        nominated,
        waiting,
        budgets: () => budgets.list(),
        profile: () => profile,
      }),
      namespaceLabels: (name) => namespaces.get(name)?.metadata.labels ?? {},
      defaultSelector: createDefaultSelector(informers),
    }),
    ...(options.extraPlugins ?? []),
  ]);
  const queue = new SchedulingQueue({
    clock,
    compare: (a, b) => profile.queueSort.compare(a, b),
    mayHelp: (event, pod) => mayHelp(profile, event, pod),
    gate: (pod) => {
      const refusal = profile.preEnqueue
        .map((plugin) => ({ plugin, verdict: plugin.preEnqueue(pod) }))
        .find(({ verdict }) => verdict.kind !== 'fits');
      if (!refusal || refusal.verdict.kind === 'fits') return undefined;
      const message = `Scheduling is blocked due to non-empty scheduling gates`;
      void reportUnscheduled(client, clock, pod, { reason: 'SchedulingGated', message }).catch((error) =>
        options.logger.error('could not report a gated pod', { pod: pod.key, error }),
      );
      return refusal.plugin.name;
    },
  });
  return {
    client,
    clock,
    logger: options.logger,
    tracer: options.tracer,
    activity: options.activity,
    recorder,
    cache: new SchedulerCache({ clock, assumedTtlMs }),
    queue,
    nominated,
    waiting,
    profile,
  };
}

async function run(parts: SchedulerParts, informers: InformerFactory): Promise<void> {
  await informers.synced();
  const rotation = { next: 0 };
  for (let next = await parts.queue.take(); next; next = await parts.queue.take()) {
    using _busy = parts.activity.begin();
    scheduleOne(next, parts, rotation);
    for (let i = 1; i < batch; i++) {
      const more = parts.queue.takeNow();
      if (!more) break;
      scheduleOne(more, parts, rotation);
    }
    await nextTurn();
  }
}
