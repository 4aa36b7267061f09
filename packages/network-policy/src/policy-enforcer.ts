import { refs } from '@coracle/api';
import { type Activity, type Clock, type Logger, messageOf, nextTurn } from '@coracle/base';
import type { InformerFactory } from '@coracle/client';
import { type PolicyPlan, planPolicies } from './plan-policies.js';
import { policyFrame, writePolicyChanges } from './write-policies.js';

export interface PolicyEnforcerOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  /** Applies statements of `nft`, all of them or none. */
  readonly apply: (statements: string) => Promise<void>;
  /** The port of the node that the cluster's DNS is served on. */
  readonly dnsPort: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
}

const retryMs = 1_000;

/** Keeps the rules for the pods of a node in line with policies, pods and namespaces. */
export class PolicyEnforcer implements AsyncDisposable {
  readonly #options: PolicyEnforcerOptions;
  readonly #handlers: readonly Disposable[];
  /** What the kernel has; `undefined` if that is not known. */
  #plan: PolicyPlan | undefined;
  #running: Promise<void> | undefined;
  #timer: Disposable | undefined;
  #again = true;
  #stopped = false;

  constructor(options: PolicyEnforcerOptions) {
    this.#options = options;
    const { informers } = options;
    const wake = () => this.#wake();
    this.#handlers = [
      informers.for(refs.networkPolicies).addHandler(wake),
      informers.for(refs.pods).addHandler(wake),
      informers.for(refs.namespaces).addHandler(wake),
    ];
    void informers.synced().then(wake);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true;
    for (const handler of this.#handlers) handler[Symbol.dispose]();
    this.#timer?.[Symbol.dispose]();
    await this.#running;
  }

  #wake(): void {
    this.#again = true;
    if (this.#stopped || this.#running !== undefined) return;
    const active = this.#options.activity.begin();
    this.#running = this.#run().finally(() => {
      this.#running = undefined;
      active[Symbol.dispose]();
    });
  }

  async #run(): Promise<void> {
    await this.#options.informers.synced();
    while (this.#again && !this.#stopped) {
      // Events that are on their way go into the same transaction.
      await nextTurn();
      this.#again = false;
      if (await this.#sync()) continue;
      this.#timer = this.#options.clock.schedule(retryMs, () => this.#wake());
      return;
    }
  }

  async #sync(): Promise<boolean> {
    const { informers, nodeName, apply, dnsPort, logger } = this.#options;
    const world = {
      policies: informers.for(refs.networkPolicies).list(),
      pods: informers.for(refs.pods).list(),
      namespaces: informers.for(refs.namespaces).list(),
    };
    // Most clusters have none: nothing is written before the first.
    if (world.policies.length === 0 && this.#plan === undefined) return true;
    try {
      const plan = planPolicies(world, { nodeName, dnsPort });
      const frame = this.#plan ? '' : policyFrame();
      const changes = frame + writePolicyChanges(this.#plan, plan);
      if (changes) await apply(changes);
      this.#plan = plan;
      return true;
    } catch (error) {
      this.#plan = undefined;
      logger.error('failed to write the rules of network policies; they are written anew', { error: messageOf(error) });
      return false;
    }
  }
}
