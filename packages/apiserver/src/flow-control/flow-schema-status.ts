import { type flowcontrolv1, refs } from '@coracle/api';
import { type Exchange, formatTime } from '@coracle/apimachinery';
import { type Logger, nextTurn } from '@coracle/base';
import type { Needs } from '../server-parts.js';
import { followCache } from '../watching/follow-cache.js';

const manager = 'api-priority-and-fairness-config-consumer-v1';
const peer = { user: { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] } };

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

/**
 * Sets the condition of each FlowSchema that reports whether its priority level exists. The response to a create waits
 * for that write, so that the next request of the client finds the same object.
 */
export class FlowSchemaStatus implements Disposable {
  readonly #parts: Needs<'objects' | 'resources' | 'clock'>;
  readonly #exchange: Exchange;
  readonly #logger: Logger;
  readonly #subscriptions: Disposable[] = [];
  #work: Promise<void> = Promise.resolve();
  #isPending = false;
  #closed = false;

  constructor(parts: Needs<'objects' | 'resources' | 'clock'>, exchange: Exchange, logger: Logger) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.#logger = logger;
  }

  start(): void {
    for (const ref of [refs.flowSchemas, refs.priorityLevelConfigurations]) {
      const cache = this.#parts.resources.findStored(ref)?.storage.cache;
      if (!cache) continue;
      const schedule = () => this.#schedule();
      this.#subscriptions.push(followCache(cache, { onEvent: schedule, onReload: schedule }));
    }
    const schemas = this.#parts.resources.findStored(refs.flowSchemas);
    if (schemas) schemas.settled = () => this.#work;
    this.#schedule();
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  /** Changes that occur together are handled once. */
  #schedule(): void {
    if (this.#isPending) return;
    this.#isPending = true;
    this.#work = this.#work.then(async () => {
      await nextTurn();
      this.#isPending = false;
      await this.#tryToReconcile();
    });
  }

  /** A pass that fails must not prevent the next one. */
  async #tryToReconcile(): Promise<void> {
    try {
      await this.#reconcile();
    } catch (error) {
      this.#logger.error('the status of FlowSchemas could not be written', { error });
    }
  }

  async #reconcile(): Promise<void> {
    const { objects } = this.#parts;
    for (const schema of objects.list(refs.flowSchemas)) {
      if (this.#closed) return;
      const condition = this.#condition(schema);
      const current = schema.status?.conditions?.find(({ type }) => type === 'Dangling');
      if (current?.status === condition.status && current.message === condition.message) continue;
      await this.#apply(schema, condition);
    }
  }

  #condition({ spec }: flowcontrolv1.FlowSchema): Condition {
    const name = spec?.priorityLevelConfiguration?.name ?? '';
    const exists = this.#parts.objects.get(refs.priorityLevelConfigurations, '', name) !== undefined;
    const reference = `This FlowSchema references the PriorityLevelConfiguration object named ${JSON.stringify(name)}`;
    return {
      type: 'Dangling',
      status: exists ? 'False' : 'True',
      reason: exists ? 'Found' : 'NotFound',
      message: exists ? `${reference} and it exists` : `${reference} but there is no such object`,
      lastTransitionTime: formatTime(this.#parts.clock.now()),
    };
  }

  async #apply({ metadata }: flowcontrolv1.FlowSchema, condition: Condition): Promise<void> {
    const apiVersion = 'flowcontrol.apiserver.k8s.io/v1';
    const value = {
      apiVersion,
      kind: 'FlowSchema',
      metadata: { name: metadata.name },
      status: { conditions: [condition] },
    };
    const response = await this.#exchange({
      method: 'PATCH',
      path: `/apis/${apiVersion}/flowschemas/${encodeURIComponent(metadata.name ?? '')}/status`,
      query: `fieldManager=${manager}&force=true`,
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: { kind: 'value', value },
      peer,
    });
    if (response.status >= 400 && response.status !== 404) {
      this.#logger.error('the status of a FlowSchema could not be written', {
        name: metadata.name,
        code: response.status,
      });
    }
  }
}
