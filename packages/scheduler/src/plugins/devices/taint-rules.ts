import { refs, type resourcev1beta2 } from '@coracle/api';
import type { ResourceRef } from '@coracle/apimachinery';
import { type Clock, type Millis, sleep } from '@coracle/base';
import type { Client, InformerFactory, SharedInformer } from '@coracle/client';
import type { ClusterEvent } from '../../queue/cluster-event.js';

type Rule = resourcev1beta2.DeviceTaintRule;

/** Versions in order of preference. Both are off unless `--runtime-config` enables them. */
const versions: readonly ResourceRef<Rule>[] = [refs.deviceTaintRulesV1beta2, refs.deviceTaintRules];
const retryMs: Millis = 1_000;

export interface TaintRulesOptions {
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly clock: Clock;
  /** Notifies the queue of added, changed and deleted rules. */
  readonly wake: (event: ClusterEvent) => void;
}

/** The DeviceTaintRules of the cluster, if the server serves them. */
export class TaintRules implements Disposable {
  readonly #options: TaintRulesOptions;
  readonly #stop = new AbortController();
  #informer: SharedInformer<Rule> | undefined;

  constructor(options: TaintRulesOptions) {
    this.#options = options;
  }

  list(): readonly Rule[] {
    return this.#informer?.list() ?? [];
  }

  /** Resolves when discovery has shown whether the kind is served. Call it before waiting for the informers. */
  async follow(): Promise<void> {
    const { informers, clock, wake } = this.#options;
    while (!this.#stop.signal.aborted) {
      try {
        const served = await this.#servedVersion();
        if (!served || this.#stop.signal.aborted) return;
        this.#informer = informers.for(served);
        this.#informer.addHandler(() => wake({ kind: 'other', resource: served.resource }));
        return;
      } catch {
        // The informers of the scheduler wait for the server as well, and say why.
        await sleep(clock, retryMs, this.#stop.signal).catch(() => undefined);
      }
    }
  }

  [Symbol.dispose](): void {
    this.#stop.abort();
  }

  async #servedVersion(): Promise<ResourceRef<Rule> | undefined> {
    for (const ref of versions) {
      const { status, body } = await this.#options.client.raw('GET', `/apis/${ref.group}/${ref.version}`);
      if (status >= 500 || status === 429) throw new Error(`/apis/${ref.group}/${ref.version}: HTTP ${status}`);
      const { resources = [] } = (status === 200 ? body : {}) as { readonly resources?: readonly { name: string }[] };
      if (resources.some(({ name }) => name === ref.resource)) return ref;
    }
    return undefined;
  }
}
