import { type Lease, type Node, refs } from '@coracle/api';
import { formatMicroTime, isAlreadyExists, isConflict, isNotFound } from '@coracle/apimachinery';
import { type Activity, type Clock, every, type Logger, type Random } from '@coracle/base';
import type { Client } from '@coracle/client';

export interface NodeLeaseOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly node: () => Node | undefined;
}

const namespace = 'kube-node-lease';
const leaseSeconds = 40;
/** A quarter of the lease: it takes several lost renewals to lose it. */
const renewMs = 10_000;

/** Says that the node is alive, in a lease of its name. */
export class NodeLease implements Disposable {
  readonly #options: NodeLeaseOptions;
  readonly #renewing: Disposable;
  #lease: Lease | undefined;
  #busy = false;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    void this.#renew();
    // Spread a little, so that many nodes that started together do not renew together.
    const period = Math.round(renewMs * (1 + 0.04 * options.random.next()));
    this.#renewing = every(options.clock, period, () => void this.#renew());
  }

  [Symbol.dispose](): void {
    this.#renewing[Symbol.dispose]();
  }

  async #renew(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    using _busy = this.#options.activity.begin();
    try {
      for (let tries = 0; tries < 5; tries++) if (await this.#try()) break;
    } catch (error) {
      this.#options.logger.error('The lease of the node could not be renewed', { node: this.#options.nodeName, error });
    } finally {
      this.#busy = false;
    }
  }

  /** False when what we knew of the lease was outdated. */
  async #try(): Promise<boolean> {
    const { client, nodeName } = this.#options;
    const leases = client.resource(refs.leases, namespace);
    try {
      this.#lease = this.#lease
        ? await leases.update(this.#renewed(this.#lease))
        : await leases.create(this.#renewed({ metadata: { name: nodeName, namespace } }));
      return true;
    } catch (error) {
      if (isAlreadyExists(error) || isConflict(error)) this.#lease = await leases.get(nodeName);
      else if (isNotFound(error) && this.#lease) this.#lease = undefined;
      else throw error;
      return false;
    }
  }

  #renewed(lease: Lease): Lease {
    const { nodeName, clock } = this.#options;
    const node = this.#options.node();
    const owner = node?.metadata.uid && { apiVersion: 'v1', kind: 'Node', name: nodeName, uid: node.metadata.uid };
    return {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { ...lease.metadata, ...(owner && { ownerReferences: [owner] }) },
      spec: {
        ...lease.spec,
        holderIdentity: nodeName,
        leaseDurationSeconds: leaseSeconds,
        renewTime: formatMicroTime(clock.now()),
      },
    };
  }
}
