import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { ObjectReader } from '../../object-reader.js';
import { createExpressionEnvironment, type ExpressionEnvironment } from '../expressions/expression-environment.js';
import { Candidates } from '../matching/candidates.js';
import { type Webhook, type WebhookConfiguration, webhooksOf } from './webhook.js';

/** The configured webhooks. A change takes effect from the next request on. */
export class WebhookSource {
  readonly #objects: ObjectReader;
  readonly #ref: ResourceRef<KubeObject>;
  readonly #environment: ExpressionEnvironment = createExpressionEnvironment();
  #generation: number | undefined;
  #current: Candidates<Webhook>;

  constructor(objects: ObjectReader, ref: ResourceRef<KubeObject>) {
    this.#objects = objects;
    this.#ref = ref;
    this.#current = new Candidates<Webhook>([], objects);
  }

  get current(): Candidates<Webhook> {
    const generation = this.#objects.generation(this.#ref);
    if (generation !== this.#generation) {
      const configurations = this.#objects.list(this.#ref) as readonly WebhookConfiguration[];
      const webhooks = webhooksOf(configurations, this.#environment);
      this.#current = new Candidates(webhooks, this.#objects);
      this.#generation = generation;
    }
    return this.#current;
  }
}
