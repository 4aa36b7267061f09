import { type Lease, type Node, refs } from '@coracle/api';
import { formatMicroTime, isAlreadyExists, isConflict, isNotFound } from '@coracle/apimachinery';
import { type Activity, type Clock, every, type Logger, type Millis, type Random } from '@coracle/base';
import type { Client } from '@coracle/client';
import type { KubeletSettings } from './settings.js';

export interface NodeLeaseOptions {
  readonly nodeName: string;
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly activity: Activity;
  readonly node: () => Node | undefined;
  readonly settings: Pick<KubeletSettings, 'nodeLeaseDurationSeconds'>;
  /** Maximum delay of the first write of the lease; none by default. */
  readonly firstLeaseWithin?: Millis;
}

const namespace = 'kube-node-lease';
/** Renewal interval as a fraction of the lease duration: several lost renewals are needed to lose it. */
const renewFraction = 0.25;
/** Number of attempts of a renewal. */
const attempts = 5;
/** First retry interval of a lease that could not be acquired, with backoff. */
const firstRetryMs: Millis = 100;
const maxRetryMs: Millis = 7_000;

/** Renews the lease of the node, which is its heartbeat. */
export class NodeLease implements Disposable {
  readonly #options: NodeLeaseOptions;
  #renewing: Disposable;
  #lease: Lease | undefined;
  #busy = false;
  #stopped = false;
  #retrying: Disposable | undefined;
  #retryMs = firstRetryMs;

  constructor(options: NodeLeaseOptions) {
    this.#options = options;
    const { firstLeaseWithin = 0, clock, random } = options;
    if (firstLeaseWithin === 0) this.#renewing = this.#begin();
    else
      this.#renewing = clock.schedule(firstLeaseWithin * random.next(), () => {
        this.#renewing = this.#begin();
      });
  }

  #begin(): Disposable {
    const { clock, random, settings } = this.#options;
    void this.#renew();
    // With jitter, so that nodes that started together do not renew together.
    const renewMs = settings.nodeLeaseDurationSeconds * 1_000 * renewFraction;
    return every(clock, Math.round(renewMs * (1 + 0.04 * random.next())), () => void this.#renew());
  }

  [Symbol.dispose](): void {
    this.#stopped = true;
    this.#renewing[Symbol.dispose]();
    this.#retrying?.[Symbol.dispose]();
  }

  async #renew(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    using _busy = this.#options.activity.begin();
    try {
      await this.#write();
      this.#retryMs = firstRetryMs;
    } catch (error) {
      this.#options.logger.error('The lease of the node could not be renewed', { node: this.#options.nodeName, error });
      this.#lease = undefined;
      this.#retryLater();
    } finally {
      this.#busy = false;
    }
  }

  #retryLater(): void {
    this.#retrying?.[Symbol.dispose]();
    if (this.#stopped) return;
    this.#retrying = this.#options.clock.schedule(this.#retryMs, () => void this.#renew());
    this.#retryMs = Math.min(maxRetryMs, this.#retryMs * 2);
  }

  /** A renewal is tried several times. */
  async #write(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#lease = await this.#createOrUpdate();
        return;
      } catch (error) {
        const isOutdated = isAlreadyExists(error) || isConflict(error) || isNotFound(error);
        if (attempt >= attempts || !(this.#lease || isOutdated)) throw error;
        if (isOutdated) this.#lease = await this.#read();
      }
    }
  }

  async #createOrUpdate(): Promise<Lease> {
    const { nodeName, node } = this.#options;
    if (this.#lease) return this.#leases().update(this.#renewed(this.#lease));
    // A lease without an owner reference would never be deleted.
    if (!node()) throw new Error(`node ${JSON.stringify(nodeName)} is not registered`);
    return this.#leases().create(this.#renewed({ metadata: { name: nodeName, namespace } }));
  }

  async #read(): Promise<Lease | undefined> {
    try {
      return await this.#leases().get(this.#options.nodeName);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  #leases() {
    return this.#options.client.resource(refs.leases, namespace);
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
        leaseDurationSeconds: this.#options.settings.nodeLeaseDurationSeconds,
        renewTime: formatMicroTime(clock.now()),
      },
    };
  }
}
