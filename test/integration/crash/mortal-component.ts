import { Activity, noTracer, PrometheusMetrics, type Random, seededRandom, silentLogger } from '@coracle/base';
import { createClient, inProcessTransport, type Transport } from '@coracle/client';
import type { Cluster } from '@coracle/cluster';
import { type Component, type ComponentOptions, runControllerManager, runScheduler } from '@coracle/control-plane';

/** State shared by all components that are killed. */
export interface Mortality {
  readonly random: Random;
  /** Remaining number of kills. */
  deathsLeft: number;
  /** At most this many writes of a component between two crashes. */
  readonly longestLife: number;
}

export type ComponentKind = 'manager' | 'scheduler';

/**
 * A component that crashes at a random write, as a killed process would: the write has reached the server or not, its
 * response is lost, and no later request succeeds. `revive` starts a new one, without any state.
 */
export class MortalComponent {
  readonly #kind: ComponentKind;
  readonly #cluster: Cluster;
  readonly #mortality: Mortality;
  readonly #endings: PromiseLike<void>[] = [];
  #component: Component;
  #life = { isOver: false };

  constructor(kind: ComponentKind, cluster: Cluster, mortality: Mortality) {
    this.#kind = kind;
    this.#cluster = cluster;
    this.#mortality = mortality;
    this.#component = this.#start();
  }

  get isDead(): boolean {
    return this.#life.isOver;
  }

  revive(): void {
    this.#bury();
    this.#component = this.#start();
  }

  /**
   * Resolves when nothing of it, and of those before it, is left. Work that waits for a time needs the clock to
   * advance.
   */
  async end(): Promise<void> {
    this.#bury();
    await Promise.all(this.#endings);
  }

  #bury(): void {
    this.#life.isOver = true;
    this.#endings.push(this.#component[Symbol.asyncDispose]());
  }

  #start(): Component {
    const { random, longestLife } = this.#mortality;
    const life = { isOver: false };
    this.#life = life;
    let writesLeft = 1 + Math.floor(random.next() * longestLife);
    const direct = inProcessTransport(this.#cluster.controlPlane.server);
    const exchange: Transport['exchange'] = async (request) => {
      if (life.isOver) throw new Error('the process is gone');
      const isSafe = request.method === 'GET' || this.#mortality.deathsLeft === 0;
      if (isSafe || --writesLeft > 0) return direct.exchange(request);
      life.isOver = true;
      this.#mortality.deathsLeft--;
      if (random.next() < 0.5) await direct.exchange(request);
      throw new Error('the process is gone');
    };
    const run = this.#kind === 'manager' ? runManager : runScheduler;
    return run(componentOptions(this.#cluster, { ...direct, exchange }));
  }
}

/** Those that have something to do with the workload: a manager of all of them takes a while to start. */
const enabled = [
  '*',
  ...['garbagecollector', 'resourcequota', 'horizontalpodautoscaling', 'disruption', 'csrapproving', 'csrcleaner'],
  ...['endpoint', 'endpointslice', 'endpointslicemirroring', 'service-cidr-controller', 'clusterrole-aggregation'],
  ...['bootstrapsigner', 'tokencleaner', 'attachdetach', 'legacy-service-account-token-cleaner', 'namespace'],
  ...['cronjob', 'ttl-after-finished', 'resource-claim-controller', 'device-taint-eviction-controller', 'daemonset'],
].map((name) => (name === '*' ? name : `-${name}`));

function runManager(options: ComponentOptions): Component {
  const localPath = { directory: '/var/lib/volumes', remove: async () => {} };
  return runControllerManager({ ...options, caCertificate: '', localPath, enabled });
}

function componentOptions(cluster: Cluster, transport: Transport): ComponentOptions {
  return {
    clientFor: (name, groups = ['system:masters']) => createClient({ transport, user: { name, groups: [...groups] } }),
    clock: cluster.clock,
    random: seededRandom(7),
    logger: silentLogger,
    metrics: new PrometheusMetrics(),
    tracer: noTracer,
    activity: new Activity(cluster.activity),
  };
}
