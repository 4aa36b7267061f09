import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  type Random,
  type Tracer,
} from '@coracle/base';
import {
  type BucketRateLimiter,
  type Client,
  createEventRecorder,
  createInformers,
  electLeader,
} from '@coracle/client';
import { allControllers, type ControllerSettings, startControllers } from '@coracle/controllers';
import { createScheduler } from '@coracle/scheduler';

/** What a component is started with, in the API server's process or in one of its own. */
export interface ComponentOptions {
  /** A client that acts as this user. */
  clientFor(user: string, groups?: readonly string[]): Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** How fast the components of one process write events, taken together. */
  readonly pace?: BucketRateLimiter;
  /** Where several run side by side, only the holder of the lease works. The identity tells them apart. */
  readonly leaderElection?: { readonly identity: string };
}

const serviceAccountGroups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];

/** Runs the controllers, each as its own service account. */
export function runControllerManager(options: ComponentOptions & ControllerSettings): AsyncDisposable {
  return whileLeading(options, 'kube-controller-manager', () => {
    const parts = new DisposableStack();
    const informers = parts.use(
      createInformers({ ...options, client: options.clientFor('system:kube-controller-manager') }),
    );
    const clientFor = (account: string) =>
      options.clientFor(`system:serviceaccount:kube-system:${account}`, serviceAccountGroups);
    parts.use(startControllers({ ...options, informers, controllers: allControllers(options), clientFor }));
    return parts;
  });
}

export function runScheduler(options: ComponentOptions): AsyncDisposable {
  return whileLeading(options, 'kube-scheduler', () => {
    const parts = new DisposableStack();
    const client = options.clientFor('system:kube-scheduler');
    const informers = parts.use(createInformers({ ...options, client }));
    const recorder = parts.use(createEventRecorder({ ...options, client, component: 'default-scheduler' }));
    const scheduler = parts.use(createScheduler({ ...options, client, informers, recorder }));
    informers.start();
    scheduler.start();
    return parts;
  });
}

/** Runs a component, from now on or, with leader election, whenever this process leads. */
function whileLeading(options: ComponentOptions, name: string, start: () => AsyncDisposable): AsyncDisposable {
  const { leaderElection, clientFor, logger } = options;
  if (!leaderElection) return start();
  let running: AsyncDisposable | undefined;
  const stop = async () => {
    const ending = running;
    running = undefined;
    await ending?.[Symbol.asyncDispose]();
  };
  const elector = electLeader({
    ...options,
    client: clientFor(`system:${name}`),
    lease: { namespace: 'kube-system', name },
    identity: leaderElection.identity,
    onStartedLeading: (signal) => {
      running = start();
      signal.addEventListener(
        'abort',
        () =>
          void stop().catch((error) => logger.error('a component did not stop in order', { component: name, error })),
      );
    },
  });
  return {
    async [Symbol.asyncDispose]() {
      await stop();
      await elector[Symbol.asyncDispose]();
    },
  };
}
