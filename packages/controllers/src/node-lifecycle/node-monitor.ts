import { type Lease, type Node, refs } from '@coracle/api';
import { isConflict, isNotFound } from '@coracle/apimachinery';
import { monotonicNow } from '@coracle/base';
import type { InformerFactory, SharedInformer } from '@coracle/client';
import type { ControllerContext } from '../controller.js';
import { markPodsNotReady } from './mark-pods.js';
import { assessNode, conditionOf, type GracePeriods, type HealthRecord, observeNode } from './node-health.js';
import type { NodeMetrics } from './node-metrics.js';
import { hasEvictionTaint, planEvictionTaints } from './node-taints.js';
import { writeTaints } from './write-taints.js';
import { ZoneQueue } from './zone-queue.js';
import {
  countsForDisruption,
  type EvictionRates,
  evictionRate,
  planDisruption,
  type ZoneState,
  zoneOf,
  zoneState,
} from './zones.js';

export interface MonitorOptions {
  readonly grace: GracePeriods;
  readonly rates: EvictionRates;
  readonly metrics: NodeMetrics;
  /** Enqueues an update of the node's taint. */
  readonly requestTaint: (nodeName: string) => void;
}

const leaseNamespace = 'kube-node-lease';

/** The leases of nodes. Other leases are not watched: there are many, and no controller here needs them. */
export function nodeLeases(informers: InformerFactory): SharedInformer<Lease> {
  return informers.for(refs.leases, { namespace: leaseNamespace });
}

/** Monitors the heartbeats of all nodes, and controls the eviction of their pods and its rate. */
export class NodeMonitor implements Disposable {
  readonly #context: ControllerContext;
  readonly #options: MonitorOptions;
  readonly #metrics: NodeMetrics;
  readonly #records = new Map<string, HealthRecord>();
  /** Observed nodes with their zones. */
  readonly #nodes = new Map<string, { readonly uid: string; readonly zone: string }>();
  readonly #queues = new Map<string, ZoneQueue>();
  #states = new Map<string, ZoneState>();
  /** Nodes with pods that could not be marked, to be retried. */
  readonly #unmarked = new Set<string>();

  constructor(context: ControllerContext, options: MonitorOptions) {
    this.#context = context;
    this.#options = options;
    this.#metrics = options.metrics;
  }

  [Symbol.dispose](): void {
    for (const queue of this.#queues.values()) queue[Symbol.dispose]();
  }

  /** One check of every node. */
  pass(): Promise<void> {
    return this.#metrics.checkingAll(() => this.#lookAtAll());
  }

  async #lookAtAll(): Promise<void> {
    const nodes = this.#context.informers.for(refs.nodes).list();
    this.#welcomeAndForget(nodes);
    const ready = await Promise.all(nodes.map((node) => this.#metrics.checkingNode(() => this.#check(node))));
    const byZone = new Map<string, string[]>();
    for (const [index, node] of nodes.entries()) {
      const status = ready[index];
      if (status === undefined || !countsForDisruption(node)) continue;
      const zone = zoneOf(node);
      const inZone = byZone.get(zone);
      if (inZone) inZone.push(status);
      else byZone.set(zone, [status]);
    }
    await this.#handleDisruption(byZone, nodes);
  }

  #welcomeAndForget(nodes: readonly Node[]): void {
    const present = new Set(nodes.map(({ metadata }) => metadata.name ?? ''));
    for (const node of nodes) {
      const { name = '', uid = name } = node.metadata;
      const zone = zoneOf(node);
      if (!this.#nodes.has(name))
        this.#tell({ name, uid }, 'RegisteredNode', `event: Registered Node ${name} in Controller`);
      this.#nodes.set(name, { uid, zone });
      if (!this.#queues.has(zone)) {
        const { rates, requestTaint } = this.#options;
        this.#queues.set(zone, new ZoneQueue(this.#context.clock, rates.usual, requestTaint));
      }
    }
    for (const [name, { uid, zone }] of this.#nodes) {
      if (present.has(name)) continue;
      this.#tell({ name, uid }, 'RemovingNode', `event: Removing Node ${name} from Controller`);
      this.#queues.get(zone)?.remove(name);
      this.#nodes.delete(name);
      this.#records.delete(name);
      this.#unmarked.delete(name);
    }
  }

  /** Returns the readiness of the node: `True`, `False` or `Unknown`; undefined if it could not be determined. */
  async #check(node: Node): Promise<string | undefined> {
    const { clock, informers, logger } = this.#context;
    const { name = '' } = node.metadata;
    const instant = { now: clock.now(), monotonic: monotonicNow(clock) };
    const lease = nodeLeases(informers).get(`${leaseNamespace}/${name}`);
    const record = observeNode(this.#records.get(name), { node, lease, instant });
    this.#records.set(name, record);
    const verdict = assessNode(node, record, { instant, grace: this.#options.grace });
    try {
      if (verdict.conditions) await this.#writeConditions(node, verdict.conditions, record);
      // A node that has never reported, within its grace period, does not count as failed.
      if (conditionOf(node, 'Ready') || verdict.conditions) this.#updateEviction(node, verdict.observed);
      await this.#markPods(node, verdict);
      return verdict.current;
    } catch (error) {
      // The next check follows soon, and another client may have written it.
      if (!isConflict(error) && !isNotFound(error)) logger.error('a node could not be checked', { node: name, error });
      return undefined;
    }
  }

  async #writeConditions(
    node: Node,
    conditions: NonNullable<ReturnType<typeof assessNode>['conditions']>,
    record: HealthRecord,
  ): Promise<void> {
    const { client, clock } = this.#context;
    const written = await client
      .resource(refs.nodes)
      .updateStatus({ ...node, status: { ...node.status, conditions: [...conditions] } });
    const ready = written.status?.conditions?.find(({ type }) => type === 'Ready');
    this.#records.set(node.metadata.name ?? '', { ...record, ready, readyChangedAt: monotonicNow(clock) });
  }

  /** A node with one of the two taints may get the other at once; one without waits for its zone's rate limit. */
  #updateEviction(node: Node, ready: string): void {
    const { name = '' } = node.metadata;
    const queue = this.#queues.get(zoneOf(node));
    if (ready === 'True') {
      queue?.remove(name);
      if (hasEvictionTaint(node)) this.#options.requestTaint(name);
      return;
    }
    if (!planEvictionTaints(node, ready, this.#context.clock.now())) queue?.remove(name);
    else if (hasEvictionTaint(node)) this.#options.requestTaint(name);
    else queue?.add(name);
  }

  async #markPods(
    node: Node,
    { observed, current }: { readonly observed: string; readonly current: string },
  ): Promise<void> {
    const { name = '', uid = name } = node.metadata;
    const turned = current !== 'True' && observed === 'True';
    if (turned) this.#tell({ name, uid }, 'NodeNotReady', 'status is now: NodeNotReady');
    if (!turned && !(this.#unmarked.has(name) && observed !== 'True')) return;
    const done = await markPodsNotReady(this.#context, name);
    if (done) this.#unmarked.delete(name);
    else this.#unmarked.add(name);
  }

  async #handleDisruption(byZone: ReadonlyMap<string, readonly string[]>, nodes: readonly Node[]): Promise<void> {
    const { rates } = this.#options;
    const states = new Map([...byZone].map(([zone, ready]) => [zone, zoneState(ready, rates)]));
    for (const zone of new Set([...this.#states.keys(), ...byZone.keys()])) {
      this.#metrics.zone(zone, byZone.get(zone) ?? []);
    }
    const { kind } = planDisruption(this.#states, states);
    this.#states = states;
    if (kind === 'stay-halted') return;
    if (kind === 'halt') {
      for (const queue of this.#queues.values()) queue.setRate(0);
      await Promise.allSettled(nodes.map((node) => this.#takeBack(node)));
      return;
    }
    if (kind === 'resume') this.#restartGrace();
    for (const [zone, state] of states) {
      this.#queues.get(zone)?.setRate(evictionRate(state, byZone.get(zone)?.length ?? 0, rates));
    }
  }

  async #takeBack(node: Node): Promise<void> {
    const { name = '' } = node.metadata;
    this.#queues.get(zoneOf(node))?.remove(name);
    await writeTaints(this.#context, node, planEvictionTaints(node, 'True', this.#context.clock.now()));
  }

  #restartGrace(): void {
    const now = monotonicNow(this.#context.clock);
    for (const [name, record] of this.#records) {
      this.#records.set(name, { ...record, probedAt: now, readyChangedAt: now });
    }
  }

  #tell(node: { readonly name: string; readonly uid: string }, reason: string, what: string): void {
    const about = { apiVersion: 'v1', kind: 'Node', ...node };
    this.#context.recorder.event(about, 'Normal', reason, `Node ${node.name} ${what}`);
  }
}
