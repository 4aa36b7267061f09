import type { Node, Pod } from '@coracle/api';
import { DisposableStack, messageOf } from '@coracle/base';
import { nodeReference } from './container-reference.js';
import { EvictionManager } from './eviction/eviction-manager.js';
import { type KubeletContext, type KubeletLinks, kubeletContext } from './kubelet-context.js';
import type { KubeletOptions } from './kubelet-options.js';
import type { LogSource } from './logs/log-source.js';
import type { PressureCondition } from './node-conditions.js';
import { NodeLease } from './node-lease.js';
import { NodeReporter } from './node-status.js';
import { watchOom } from './oom/watch-oom.js';
import { type LeftOverPods, PodRunner } from './pod-runner.js';
import type { PodSink } from './pod-source.js';
import { ProbeCounts } from './probes/probe-counts.js';
import { RuntimeHealth } from './runtime-health.js';
import { nodePages } from './server/node-pages.js';
import { createNodeServer, type NodeServer } from './server/node-server.js';
import { NodeShutdown } from './shutdown/node-shutdown.js';
import { followStaticPods } from './static-pods/static-pods.js';
import { StatsCollector } from './stats/stats-collector.js';
import type { PodPinning } from './topology/pod-pinning.js';

export interface Kubelet extends AsyncDisposable {
  readonly nodeName: string;
  /** The node in its last known state; `undefined` before it is registered. */
  readonly node: Node | undefined;
  /** Every pod of the node, in any state. */
  pods(): readonly Pod[];
  /**
   * Starts the graceful node shutdown: pods are terminated by priority. Resolves when they have ended, or at the
   * timeout.
   */
  shutDown(): Promise<void>;
  /** Cancels the shutdown. */
  cancelShutdown(): void;
  /** The pods with exclusive CPUs. */
  readonly pinning: PodPinning | undefined;
  /** Reports the node's status now, if it has changed. */
  report(): void;
  /** Registers the node and starts to run its pods. */
  start(): Promise<void>;
  /** The kubelet's HTTP API without a socket: logs, exec, attach, port-forward, statistics and metrics. */
  readonly server: NodeServer;
}

/** The agent of one node: runs its pods through a container runtime, and reports their status and that of the node. */
export function createKubelet(options: KubeletOptions): Kubelet {
  return new NodeKubelet(options);
}

/** State of a running kubelet. */
interface RunningNode {
  readonly runtimeName: string;
  readonly health: RuntimeHealth;
  readonly eviction: EvictionManager;
  readonly reporter: NodeReporter;
}

/** A class, because there are many nodes, and an object literal with accessors takes four times the memory. */
class NodeKubelet implements Kubelet {
  readonly #context: KubeletContext;
  readonly #stack = new DisposableStack();
  #running: RunningNode | undefined;
  #runner: PodRunner | undefined;
  #shutdown: NodeShutdown | undefined;
  #server: NodeServer | undefined;
  /** All pods of the node have been received from the API. */
  #isSynced = false;
  #stopped = false;

  constructor(options: KubeletOptions) {
    this.#context = kubeletContext(options, this.#links());
  }

  get nodeName(): string {
    return this.#context.nodeName;
  }

  get node(): Node | undefined {
    return this.#running?.reporter.node;
  }

  get pinning(): PodPinning | undefined {
    return this.#runner?.parts.pinning;
  }

  /** Created on first use: most simulated nodes never serve a request. */
  get server(): NodeServer {
    this.#server ??= this.#makeServer();
    return this.#server;
  }

  pods(): readonly Pod[] {
    return this.#runner?.workers.all() ?? [];
  }

  report(): void {
    void this.#running?.reporter.check();
  }

  async shutDown(): Promise<void> {
    const { evict: end } = this.#context;
    this.#shutdown ??= new NodeShutdown({ ...this.#context, end, onChange: () => this.report() });
    if (this.#running) await this.#shutdown.begin();
  }

  cancelShutdown(): void {
    this.#shutdown?.cancel();
  }

  async start(): Promise<void> {
    const { nodeName, runtime, recorder, devices, claims, staticPods = [], pods, kernelLog } = this.#context;
    const stack = this.#stack;
    stack.defer(() => this.#runner?.[Symbol.asyncDispose]());
    const { runtimeName = '' } = await runtime.version({});
    recorder.event(nodeReference(nodeName), 'Normal', 'Starting', 'Starting kubelet.');
    await this.#makeDirectories();
    const health = stack.use(new RuntimeHealth(this.#context));
    const eviction = stack.use(new EvictionManager(this.#context));
    const reporter = stack.use(new NodeReporter(this.#context, health));
    this.#running = { runtimeName, health, eviction, reporter };
    await devices?.start();
    await claims?.start();
    const left = await this.#leftOver();
    if (left) await this.#makeRunner(this.#running).start(left);
    await reporter.start();
    stack.use(new NodeLease(this.#context));
    if (kernelLog) stack.use(watchOom({ nodeName, kernelLog, recorder }));
    const fromNode = this.#sinkOf((runner) => runner.fromNode);
    for (const source of staticPods) stack.use(followStaticPods(this.#context, source, fromNode));
    stack.use(
      pods.follow(
        nodeName,
        this.#sinkOf((runner) => runner.fromApi),
      ),
    );
    void pods.synced().then(() => {
      this.#isSynced = true;
      return this.#runner?.finish();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    await this.#stack[Symbol.asyncDispose]();
  }

  /** Without them no pod can run: the kubelet does not start, and records an event. */
  async #makeDirectories(): Promise<void> {
    const { nodeName, recorder, volumeHost } = this.#context;
    try {
      await volumeHost?.makeDirectories?.();
    } catch (error) {
      recorder.event(nodeReference(nodeName), 'Warning', 'KubeletSetupFailed', messageOf(error));
      throw error;
    }
  }

  /** State and callbacks that the parts share. */
  #links(): KubeletLinks {
    return {
      node: () => this.#running?.reporter.node,
      readNode: async () => this.#running?.reporter.readNode(),
      pressures: () => this.#running?.eviction.conditions ?? noPressures,
      volumesInUse: () => this.#runner?.parts.volumes.inUse ?? [],
      activePods: () => this.#runner?.workers.active() ?? [],
      evict: async ({ metadata: { uid = '' } }, failure, graceSeconds) => {
        this.#runner?.workers.fail(uid, failure, graceSeconds);
        await this.#runner?.workers.terminated(uid);
      },
      released: async ({ metadata: { uid = '' } }) => this.#runner?.workers.released(uid),
      reclaimDisk: async () => this.#runnerNow()?.reclaimDisk(),
      alsoWrong: () => this.#runner?.problem,
      shutdown: () => this.#shutdown?.problem,
      onRecovered: () => this.#runner?.workers.wakeAll(),
    };
  }

  /**
   * The pods that the runtime and the machine still have. `undefined` if there are none, on a node that sets up its pod
   * runner with the first pod.
   */
  async #leftOver(): Promise<LeftOverPods | undefined> {
    const { runtime, volumeHost, machine, devices, claims } = this.#context;
    const [{ items: sandboxes = [] }, { containers = [] }, onDisk = []] = await Promise.all([
      runtime.listPodSandbox({}),
      runtime.listContainers({}),
      volumeHost?.podsOnDisk(),
    ]);
    const preparesAtOnce = (machine ?? devices ?? claims ?? volumeHost?.files) !== undefined;
    const isEmpty = sandboxes.length + containers.length + onDisk.length === 0;
    return isEmpty && !preparesAtOnce ? undefined : { sandboxes, containers };
  }

  /** The pod runner, created on first use; `undefined` if the kubelet is not running. */
  #runnerNow(): PodRunner | undefined {
    if (this.#runner || !this.#running || this.#stopped) return this.#runner;
    const runner = this.#makeRunner(this.#running);
    if (this.#isSynced) void runner.finish();
    return runner;
  }

  #makeRunner({ runtimeName, health, eviction }: RunningNode): PodRunner {
    this.#runner = new PodRunner({
      context: this.#context,
      runtimeName,
      health,
      refusalUnderPressure: (pod) => this.#shutdown?.refusal ?? eviction.refusalOf(pod),
    });
    health.watch();
    return this.#runner;
  }

  #sinkOf(select: (runner: PodRunner) => PodSink): PodSink {
    return {
      set: (pod) => {
        const runner = this.#runnerNow();
        if (runner) select(runner).set(pod);
      },
      remove: (pod) => {
        if (this.#runner) select(this.#runner).remove(pod);
      },
    };
  }

  #makeServer(): NodeServer {
    const context = this.#context;
    const { logs = noLogs, renderMetrics = () => '', hostStats, volumeHost } = context;
    const pods = () =>
      this.#runner?.workers
        .all()
        .map((pod) => ({ ...pod, status: this.#runner?.parts.statuses.statusOf(pod) ?? {} })) ?? [];
    const stats = new StatsCollector({ ...context, pods, hostStats, volumeHost });
    const renderProbes = () => (this.#runner?.probeCounts ?? new ProbeCounts()).render();
    const check = () => {
      const problem = this.#running?.health.runtimeProblem;
      if (problem !== undefined) throw new Error(problem);
    };
    const state = () => ({ pods: this.#runner?.workers.states() ?? [], counts: this.#runner?.counts });
    const pages = nodePages({ ...context, stats, state, pods, renderMetrics, renderProbes, hostStats });
    const { enableDebuggingHandlers } = context.settings;
    return createNodeServer({ ...context, logs, pods, pages, check, enableDebuggingHandlers });
  }
}

const noLogs: LogSource = { open: async () => undefined };
const noPressures: ReadonlySet<PressureCondition> = new Set();
