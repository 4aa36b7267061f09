import { type Pod, refs } from '@coracle/api';
import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  type Millis,
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
  type LeaderElectionOptions,
  Term,
  type Transport,
} from '@coracle/client';
import {
  allControllers,
  type ControllerManager,
  type ControllerSettings,
  startControllers,
} from '@coracle/controllers';
import { createScheduler, formatPodResources, type SchedulerOptions } from '@coracle/scheduler';

/** Puts something between a client and the API server. */
export type WrapTransport = (transport: Transport) => Transport;

/** Options of a component, in the API server's process or in a separate one. */
export interface ComponentOptions {
  /** A client that acts as this user. */
  clientFor(user: string, groups?: readonly string[], wrap?: WrapTransport): Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly activity: Activity;
  /** Shared rate of events of all components of one process. */
  readonly pace?: BucketRateLimiter;
  /** After how many seconds, up to twice as many, its watches are begun again; five minutes unless stated. */
  readonly watchSeconds?: number;
  /** Leader election: only the holder of the lease is active. The identity distinguishes candidates. */
  readonly leaderElection?: Election;
}

interface Election extends ElectionTimes {
  readonly identity: string;
  /** Called when the lease was lost. Starts another election, unless it is disposed. */
  readonly onLost?: () => void;
}

type ElectionTimes = Partial<
  Pick<LeaderElectionOptions, 'lease' | 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'>
>;

/** A health check. */
export interface ComponentCheck {
  readonly name: string;
  /** Throws if it is not. */
  check(): void;
}

/** A component that runs, or waits to lead. */
export interface Component extends AsyncDisposable {
  /** Throws if it is not well: it has ended, or does not see the cluster yet. */
  check(): void;
  /** The same by its parts, for `/healthz`. */
  checks(): readonly ComponentCheck[];
  /** The debug output of one of its controllers, if it has controllers. */
  debug: ControllerManager['debug'];
  /** The text of `/metrics/resources`, if it has that page. */
  resourceMetrics?(): string;
}

/** The work of the leader. */
interface Running extends AsyncDisposable {
  check(): void;
  readonly names: readonly string[];
  debug: ControllerManager['debug'];
}

/**
 * Controllers that use the credentials of the manager itself: one issues the tokens of all others, the other reads
 * discovery for all of them.
 */
const asManager: ReadonlySet<string> = new Set(['serviceaccount-token-controller', 'controller-discovery']);

const serviceAccountGroups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];

export interface ControllerManagerSettings extends ControllerSettings {
  /** Number of concurrent syncs, by name of the controller. */
  readonly workers?: Readonly<Record<string, number>>;
}

/** Runs the controllers, each as its own service account. */
export function runControllerManager(options: ComponentOptions & ControllerManagerSettings): Component {
  return whileLeading(options, 'kube-controller-manager', (clientOf) => {
    const parts = new DisposableStack();
    const informers = parts.use(createInformers({ ...options, client: clientOf('system:kube-controller-manager') }));
    const clientFor = (account: string) =>
      asManager.has(account)
        ? clientOf('system:kube-controller-manager')
        : clientOf(`system:serviceaccount:kube-system:${account}`, serviceAccountGroups);
    const controllers = allControllers(options);
    const { names, debug } = parts.use(startControllers({ ...options, informers, controllers, clientFor }));
    return { ...seeing(informers, parts), names, debug };
  });
}

/** Options that differ between schedulers. */
export type SchedulerSettings = Pick<
  SchedulerOptions,
  'configuration' | 'extenderTransport' | 'extraPlugins' | 'debugRequests'
>;

export function runScheduler(options: ComponentOptions & SchedulerSettings): Component {
  const noPods = (): readonly Pod[] => [];
  let listPods = noPods;
  const component = whileLeading(options, 'kube-scheduler', (clientFor) => {
    const parts = new DisposableStack();
    parts.defer(() => {
      listPods = noPods;
    });
    const client = clientFor('system:kube-scheduler');
    const informers = parts.use(createInformers({ ...options, client }));
    const recorderFor = (component: string) => parts.use(createEventRecorder({ ...options, client, component }));
    const scheduler = parts.use(createScheduler({ ...options, client, informers, recorderFor }));
    informers.start();
    scheduler.start();
    listPods = () => informers.for(refs.pods).list();
    const debug: Running['debug'] = (name, _path, query) => {
      const found = name === 'why' ? scheduler.why(query.get('pod') ?? '') : undefined;
      return found && { contentType: 'application/json', text: JSON.stringify(found) };
    };
    return { ...seeing(informers, parts), names: [], debug };
  });
  return { ...component, resourceMetrics: () => formatPodResources(listPods()) };
}

/** What is made of these parts is well once its informers have seen the cluster, until it ends. */
function seeing(
  informers: InformerFactory,
  parts: DisposableStack,
): Pick<Running, 'check' | typeof Symbol.asyncDispose> {
  const blind = 'its informers have not synced yet';
  let state = blind;
  void informers.synced().then(() => {
    if (state === blind) state = '';
  });
  return {
    check: () => {
      if (state !== '') throw new Error(state);
    },
    [Symbol.asyncDispose]: () => {
      state = 'it has stopped';
      return parts[Symbol.asyncDispose]();
    },
  };
}

/** How long after the expiry of its lease a leader that has not renewed it counts as unhealthy. */
const electionToleranceMs: Millis = 20_000;

/**
 * Runs a component, from now on or, with leader election, whenever this process leads. Its clients write nothing once
 * another may lead.
 */
function whileLeading(
  options: ComponentOptions,
  name: string,
  start: (clientFor: (user: string, groups?: readonly string[]) => Client) => Running,
): Component {
  const { leaderElection, clientFor, logger } = options;
  let running: Running | undefined;
  let ended = false;
  const check = () => {
    if (ended) throw new Error('it has stopped');
    running?.check();
  };
  const shared = { check, debug: (...args: Parameters<Running['debug']>) => running?.debug(...args) };
  const partChecks = () => (running?.names ?? []).map((part) => ({ name: part, check }));
  const stop = async () => {
    const ending = running;
    running = undefined;
    await ending?.[Symbol.asyncDispose]();
  };
  if (!leaderElection) {
    running = start(clientFor);
    return {
      ...shared,
      checks: () => [{ name: 'ping', check }, ...partChecks()],
      [Symbol.asyncDispose]: () => {
        ended = true;
        return stop();
      },
    };
  }
  const isLeading = leadingGauge(options, name);
  const term = new Term(options.clock);
  const client = clientFor(`system:${name}`);
  const recorder = createEventRecorder({ ...options, client, component: name });
  const elector = electLeader({
    lease: { namespace: 'kube-system', name },
    ...leaderElection,
    ...options,
    client,
    recorder,
    // The elector is disposed only when the work has ended.
    releaseOnStop: true,
    onRenewed: term.renewed,
    onStoppedLeading: () => {
      if (!ended) leaderElection.onLost?.();
    },
    onStartedLeading: (signal) => {
      if (ended) return;
      isLeading(true);
      running = start((user, groups) => clientFor(user, groups, term.wrap));
      signal.addEventListener('abort', () => {
        isLeading(false);
        stop().catch((error: unknown) => logger.error('component failed to stop cleanly', { component: name, error }));
      });
    },
  });
  const checkLease = () => {
    if (!elector.isHealthy(electionToleranceMs))
      throw new Error(`failed election to renew leadership on lease ${name}`);
  };
  return {
    ...shared,
    checks: () => [{ name: 'leaderElection', check: checkLease }, { name: 'ping', check }, ...partChecks()],
    async [Symbol.asyncDispose]() {
      ended = true;
      await stop();
      await elector[Symbol.asyncDispose]();
      await recorder[Symbol.asyncDispose]();
    },
  };
}

/** Sets the metric that shows whether this process leads. */
function leadingGauge({ metrics }: ComponentOptions, name: string): (leads: boolean) => void {
  const gauge = metrics.gauge({
    name: 'leader_election_master_status',
    help: 'Whether this process leads: 0 indicates backup, 1 indicates master.',
    labels: ['name'],
  });
  gauge.set(0, { name });
  return (leads) => gauge.set(leads ? 1 : 0, { name });
}
