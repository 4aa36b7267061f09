import { refs } from '@coracle/api';
import { type Activity, type Clock, type Logger, messageOf } from '@coracle/base';
import { type InformerFactory, SyncRunner } from '@coracle/client';
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
  readonly #runner: SyncRunner;
  /** What the kernel has; `undefined` if that is not known. */
  #plan: PolicyPlan | undefined;

  constructor(options: PolicyEnforcerOptions) {
    this.#options = options;
    const { informers, logger } = options;
    this.#runner = new SyncRunner({
      ...options,
      sync: () => this.#sync(),
      onError: (error) => {
        this.#plan = undefined;
        logger.error('failed to write network policy rules, retrying', {
          error: messageOf(error),
        });
      },
      backoff: { initialMs: retryMs, maxMs: retryMs },
    });
    const wake = () => this.#runner.wake();
    this.#handlers = [
      informers.for(refs.networkPolicies).addHandler(wake),
      informers.for(refs.pods).addHandler(wake),
      informers.for(refs.namespaces).addHandler(wake),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
    await this.#runner[Symbol.asyncDispose]();
  }

  async #sync(): Promise<void> {
    const { informers, nodeName, apply, dnsPort } = this.#options;
    const world = {
      policies: informers.for(refs.networkPolicies).list(),
      pods: informers.for(refs.pods).list(),
      namespaces: informers.for(refs.namespaces).list(),
    };
    // Most clusters have none: nothing is written before the first.
    if (world.policies.length === 0 && this.#plan === undefined) return;
    const plan = planPolicies(world, { nodeName, dnsPort });
    const frame = this.#plan ? '' : policyFrame();
    const changes = frame + writePolicyChanges(this.#plan, plan);
    if (changes) await apply(changes);
    this.#plan = plan;
  }
}
