import { refs } from '@coracle/api';
import { type Activity, type Clock, deepEqual, type Logger, type Millis, messageOf } from '@coracle/base';
import { type InformerFactory, SyncRunner } from '@coracle/client';
import { type PolicyPlan, planPolicies } from './plan-policies.js';
import { podMatters } from './policy-world.js';
import { dropPolicies, policyFrame, writePolicyChanges } from './write-policies.js';

export interface PolicyEnforcerOptions {
  readonly informers: InformerFactory;
  readonly nodeName: string;
  /** Applies statements of `nft`, all of them or none. */
  readonly apply: (statements: string) => Promise<void>;
  /** Whether the table of policies exists: another program may have flushed the rules. */
  readonly hasTable: () => Promise<boolean>;
  /** The port of the node that the cluster's DNS is served on. */
  readonly dnsPort: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly activity: Activity;
}

const retryMs = 1_000;
/** Interval of checks whether the table still exists. */
const checkPeriodMs: Millis = 30_000;

/** Keeps the rules for the pods of a node in sync with policies, pods and namespaces. */
export class PolicyEnforcer implements AsyncDisposable {
  readonly #options: PolicyEnforcerOptions;
  readonly #handlers: readonly Disposable[];
  readonly #runner: SyncRunner;
  /** The state of the kernel; `undefined` if it is not known. */
  #plan: PolicyPlan | undefined;
  /** The rules of an earlier process are removed. */
  #isCleared = false;
  #checkedAt: Millis = 0;

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
      informers.for(refs.pods).addHandler((event) => {
        if (event.type !== 'updated' || podMatters(event.object, event.previous)) wake();
      }),
      informers.for(refs.namespaces).addHandler((event) => {
        if (event.type !== 'updated' || !deepEqual(event.object.metadata.labels, event.previous.metadata.labels))
          wake();
      }),
    ];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handler of this.#handlers) handler[Symbol.dispose]();
    await this.#runner[Symbol.asyncDispose]();
  }

  async #sync(): Promise<Millis | undefined> {
    const { informers, nodeName, apply, dnsPort } = this.#options;
    const world = {
      policies: informers.for(refs.networkPolicies).list(),
      pods: informers.for(refs.pods).list(),
      namespaces: informers.for(refs.namespaces).list(),
    };
    // Most clusters have none: no table is made before the first. One that was left here would go on dropping packets.
    if (world.policies.length === 0 && this.#plan === undefined) {
      if (!this.#isCleared) await apply(dropPolicies());
      this.#isCleared = true;
      return undefined;
    }
    await this.#check();
    const plan = planPolicies(world, { nodeName, dnsPort });
    const frame = this.#plan ? '' : policyFrame();
    const changes = frame + writePolicyChanges(this.#plan, plan);
    if (changes) await apply(changes);
    this.#plan = plan;
    this.#isCleared = true;
    return checkPeriodMs;
  }

  /** Without its table, policies would not be enforced: it is written again. */
  async #check(): Promise<void> {
    const { clock, hasTable, logger } = this.#options;
    if (!this.#plan) this.#checkedAt = clock.now();
    if (!this.#plan || clock.now() - this.#checkedAt < checkPeriodMs) return;
    this.#checkedAt = clock.now();
    if (await hasTable()) return;
    logger.error('network policy rules are missing from the kernel, writing them again');
    this.#plan = undefined;
  }
}
