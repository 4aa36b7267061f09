import { type Pod, refs, type resourcev1 } from '@coracle/api';
import { controllerOf, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ControllerContext } from '../controller.js';
import { dependentsOf } from '../owner-index.js';
import { generatedClaim, podClaimName } from './pod-claims.js';

/**
 * The claims that were generated for pods, also those that the informer does not have yet. The claims are listed only
 * where this controller may not have seen a claim: a create failed although it may have been stored, or the pod
 * is older than the controller, and another one may have created its claim just before it ended.
 */
export class GeneratedClaims {
  readonly #context: ControllerContext;
  readonly #startedAt: Millis;
  /** `uid of the pod/reference` → a claim that the informer has not shown yet. */
  readonly #created = new Map<string, resourcev1.ResourceClaim>();
  /** `uid of the pod/reference` of creations that have not succeeded. */
  readonly #unconfirmed = new Set<string>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#startedAt = context.clock.now();
  }

  /** Must be called for each event of the claims. */
  onClaim(claim: resourcev1.ResourceClaim): void {
    const uid = controllerOf(claim)?.uid;
    const reference = claim.metadata.annotations?.[podClaimName];
    if (uid === undefined || reference === undefined) return;
    this.#created.delete(`${uid}/${reference}`);
    this.#unconfirmed.delete(`${uid}/${reference}`);
  }

  async find(pod: Pod, reference: string): Promise<resourcev1.ResourceClaim | undefined> {
    const { informers, client } = this.#context;
    const { namespace, uid = '', creationTimestamp = '' } = pod.metadata;
    const key = `${uid}/${reference}`;
    const claim = generatedClaim(pod, reference, dependentsOf(informers.for(refs.resourceClaims), uid));
    if (claim) return claim;
    const isOlder = (parseTime(creationTimestamp) ?? 0) <= this.#startedAt;
    if (!isOlder && !this.#unconfirmed.has(key)) return this.#created.get(key);
    const { items } = await client.resource(refs.resourceClaims, namespace).list();
    return generatedClaim(pod, reference, items);
  }

  async create(pod: Pod, reference: string, claim: resourcev1.ResourceClaim): Promise<resourcev1.ResourceClaim> {
    const key = `${pod.metadata.uid}/${reference}`;
    this.#unconfirmed.add(key);
    const created = await this.#context.client.resource(refs.resourceClaims, pod.metadata.namespace).create(claim);
    // The event may have arrived before the response.
    if (this.#unconfirmed.delete(key)) this.#created.set(key, created);
    return created;
  }
}
