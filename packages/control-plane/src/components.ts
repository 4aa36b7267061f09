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
  type InformerFactory,
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

/** A component that runs, or waits to lead. */
export interface Component extends AsyncDisposable {
  /** Throws if it is not well: it has ended, or does not see the cluster yet. */
  check(): void;
}

/** It makes the tokens that all others could act by, so it acts as the manager itself. */
const tokenController = 'serviceaccount-token-controller';

const serviceAccountGroups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];

/** Runs the controllers, each as its own service account. */
export function runControllerManager(options: ComponentOptions & ControllerSettings): Component {
  return whileLeading(options, 'kube-controller-manager', () => {
    const parts = new DisposableStack();
    const informers = parts.use(
      createInformers({ ...options, client: options.clientFor('system:kube-controller-manager') }),
    );
    const clientFor = (account: string) =>
      account === tokenController
        ? options.clientFor('system:kube-controller-manager')
        : options.clientFor(`system:serviceaccount:kube-system:${account}`, serviceAccountGroups);
    parts.use(startControllers({ ...options, informers, controllers: allControllers(options), clientFor }));
    return seeing(informers, parts);
  });
}

export function runScheduler(options: ComponentOptions): Component {
  return whileLeading(options, 'kube-scheduler', () => {
    const parts = new DisposableStack();
    const client = options.clientFor('system:kube-scheduler');
    const informers = parts.use(createInformers({ ...options, client }));
    const recorder = parts.use(createEventRecorder({ ...options, client, component: 'default-scheduler' }));
    const scheduler = parts.use(createScheduler({ ...options, client, informers, recorder }));
    informers.start();
    scheduler.start();
    return seeing(informers, parts);
  });
}

/** What is made of these parts is well once its informers have seen the cluster, until it ends. */
function seeing(informers: InformerFactory, parts: DisposableStack): Component {
  const blind = 'it has not seen the cluster yet';
  let state = blind;
  void informers.synced().then(() => {
    if (state === blind) state = '';
  });
  return {
    check: () => {
      if (state !== '') throw new Error(state);
    },
    [Symbol.asyncDispose]: () => {
      state = 'it has ended';
      return parts[Symbol.asyncDispose]();
    },
  };
}

/** Runs a component, from now on or, with leader election, whenever this process leads. */
function whileLeading(options: ComponentOptions, name: string, start: () => Component): Component {
  const { leaderElection, clientFor, logger } = options;
  if (!leaderElection) return start();
  let running: Component | undefined;
  let ended = false;
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
    check: () => {
      if (ended) throw new Error('it has ended');
      running?.check();
    },
    async [Symbol.asyncDispose]() {
      ended = true;
      await stop();
      await elector[Symbol.asyncDispose]();
    },
  };
}
