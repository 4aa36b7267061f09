import { applyJsonPatch, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import type { Manager } from '../manager.js';
import type { AdmissionHandler } from './admission-review.js';
import { admissionWebhook, chainHandlers } from './admission-webhook.js';
import { type Defaulter, defaulting, type Validator, validating } from './object-webhooks.js';

/** `/mutate-example-org-v1-website` */
export function webhookPath(action: 'mutate' | 'validate', { group, version, kind }: ResourceRef<KubeObject>): string {
  return `/${action}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}

/** Starts the webhooks of a resource: defaulting and validation. */
export function newWebhook<T extends KubeObject>(manager: Manager, ref: ResourceRef<T>): WebhookBuilder<T> {
  return new WebhookBuilder(manager, ref);
}

/** Collects the webhooks of a resource. `newWebhook` makes one; `complete` adds it to the manager. */
export class WebhookBuilder<T extends KubeObject> {
  readonly #manager: Manager;
  readonly #ref: ResourceRef<T>;
  readonly #mutating: AdmissionHandler[] = [];
  readonly #validating: AdmissionHandler[] = [];

  constructor(manager: Manager, ref: ResourceRef<T>) {
    this.#manager = manager;
    this.#ref = ref;
  }

  withDefaulter(setDefaults: Defaulter<T>): this {
    this.#mutating.push(defaulting(setDefaults));
    return this;
  }

  withValidator(validator: Validator<T>): this {
    this.#validating.push(validating(this.#ref, validator));
    return this;
  }

  /**
   * Registers the paths with the manager's webhooks: `/mutate-…` and `/validate-…`, for the handlers that were given.
   */
  complete(): void {
    const { webhooks } = this.#manager;
    const register = (action: 'mutate' | 'validate', handlers: readonly AdmissionHandler[]) => {
      if (handlers.length === 0) return;
      webhooks.register(webhookPath(action, this.#ref), admissionWebhook(chainHandlers(handlers, applyPatch)));
    };
    register('mutate', this.#mutating);
    register('validate', this.#validating);
  }
}

function applyPatch(object: unknown, patch: readonly unknown[]): unknown {
  return applyJsonPatch(object as KubeObject, patch);
}
