import { refs } from '@coracle/api';
import type { KubeObject } from '@coracle/apimachinery';
import { type Activity, type Clock, DisposableStack, type Logger, type Random } from '@coracle/base';
import { type Client, createEventRecorder, type InformerFactory, type Transport } from '@coracle/client';
import { kubeletVersion, type NodeDescription } from '@coracle/kubelet';
import { AddressPool } from '../address-pool.js';
import type { Stage, StagedKind } from './stage.js';
import type { StageWorld } from './stage-functions.js';
import { StagePlayer } from './stage-player.js';

export interface StagedNodesOptions {
  readonly stages: readonly Stage[];
  readonly informers: InformerFactory;
  readonly clientFor: (user: string, groups: readonly string[], wrap?: (transport: Transport) => Transport) => Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity: Activity;
  isUp(nodeName: string): boolean;
  descriptionOf(nodeName: string): NodeDescription | undefined;
}

/** The player of stages on a set of nodes, with the addresses that it allocates to pods. */
export class StagedNodes implements AsyncDisposable {
  readonly #options: StagedNodesOptions;
  readonly #stack = new DisposableStack();
  readonly #players: ReadonlyMap<StagedKind, Pick<StagePlayer<KubeObject>, 'resume'>>;
  readonly #pools = new Map<string, AddressPool>();
  /** By the uid of the pod. */
  readonly #addresses = new Map<string, { readonly pool: AddressPool; readonly address: string }>();

  constructor(options: StagedNodesOptions) {
    this.#options = options;
    const client = options.clientFor('system:coracle:stages', ['system:masters']).withUserAgent('stages');
    const recorder = this.#stack.use(createEventRecorder({ ...options, client, component: 'stages', host: '' }));
    const shared = { ...options, client, recorder, world: this.#world() };
    const of = (kind: StagedKind) => options.stages.filter((stage) => stage.kind === kind);
    const players = new Map<StagedKind, Pick<StagePlayer<KubeObject>, 'resume'>>();
    if (of('Pod').length > 0)
      players.set(
        'Pod',
        this.#stack.use(
          new StagePlayer({
            ...shared,
            kind: 'Pod',
            ref: refs.pods,
            stages: of('Pod'),
            nodeOf: ({ spec }) => spec?.nodeName ?? '',
            onGone: (uid) => this.#giveBack(uid),
          }),
        ),
      );
    if (of('Node').length > 0)
      players.set(
        'Node',
        this.#stack.use(
          new StagePlayer({
            ...shared,
            kind: 'Node',
            ref: refs.nodes,
            stages: of('Node'),
            nodeOf: ({ metadata }) => metadata.name ?? '',
            onGone: () => undefined,
          }),
        ),
      );
    this.#players = players;
  }

  /** Whether stages control these objects. */
  plays(kind: StagedKind): boolean {
    return this.#players.has(kind);
  }

  /** Looks again at everything of a node, which was down or out of reach. */
  resume(nodeName: string): void {
    for (const player of this.#players.values()) player.resume(nodeName);
  }

  #world(): Pick<StageWorld, 'nodeIp' | 'podIp' | 'version'> {
    return {
      version: kubeletVersion,
      nodeIp: (name) => this.#nodeIp(name),
      podIp: ({ nodeName, hostNetwork, uid }) => (hostNetwork ? this.#nodeIp(nodeName) : this.#podIp(nodeName, uid)),
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stack[Symbol.asyncDispose]();
  }

  #nodeIp(name: string): string {
    const { addresses = [] } = this.#options.descriptionOf(name) ?? {};
    return addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  }

  #podIp(nodeName: string, uid: string): string {
    const entry = this.#addresses.get(uid);
    if (entry) return entry.address;
    const { podCidr } = this.#options.descriptionOf(nodeName) ?? {};
    if (!podCidr) return '';
    const pool = this.#pools.get(nodeName) ?? new AddressPool(podCidr);
    this.#pools.set(nodeName, pool);
    const address = pool.take();
    if (address === undefined) throw new Error(`no free address in ${podCidr}`);
    this.#addresses.set(uid, { pool, address });
    return address;
  }

  #giveBack(uid: string): void {
    const lease = this.#addresses.get(uid);
    lease?.pool.giveBack(lease.address);
    this.#addresses.delete(uid);
  }
}
