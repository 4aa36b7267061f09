import type { apiextensionsv1 } from '@coracle/api';
import { type KubeObject, unexplainedFailure } from '@coracle/apimachinery';
import { messageOf, type Random, randomUuid } from '@coracle/base';
import type { RemoteConversion } from '../../conversion/conversion.js';
import type { Outbound } from '../../outbound/outbound.js';
import { callWebhook } from '../../outbound/webhook-client.js';
import { conversionReview, convertedObjects } from './conversion-review.js';

/** So many objects are sent at once. */
const batchSize = 500;
const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

export interface ConversionDependencies {
  readonly outbound: Outbound;
  readonly random: Random;
}

type WebhookOptions = apiextensionsv1.WebhookConversion;

/** Has a webhook turn objects of a CRD into the version that is served, and into the one that is stored. */
export function webhookConversion(
  deps: ConversionDependencies,
  webhook: WebhookOptions,
  { served, stored }: { readonly served: string; readonly stored: string },
): RemoteConversion {
  return {
    kind: 'remote',
    toStored: (objects) => convert(deps, webhook, { objects, desired: stored }),
    fromStored: (objects) => convert(deps, webhook, { objects, desired: served }),
  };
}

interface Order {
  readonly objects: readonly KubeObject[];
  readonly desired: string;
}

/** Those that are in the version already are not sent. */
async function convert(
  deps: ConversionDependencies,
  webhook: WebhookOptions,
  { objects, desired }: Order,
): Promise<readonly KubeObject[]> {
  const others = objects.filter(({ apiVersion }) => apiVersion !== desired);
  const converted = new Map<KubeObject, KubeObject>();
  for (let at = 0; at < others.length; at += batchSize) {
    const batch = others.slice(at, at + batchSize);
    const answers = await ask(deps, webhook, { objects: batch, desired });
    for (const [index, object] of batch.entries()) converted.set(object, answers[index] as KubeObject);
  }
  return objects.map((object) => converted.get(object) ?? object);
}

async function ask(
  { outbound, random }: ConversionDependencies,
  { clientConfig = {}, conversionReviewVersions = [] }: WebhookOptions,
  { objects, desired }: Order,
): Promise<readonly KubeObject[]> {
  try {
    const review = conversionReview(conversionReviewVersions, {
      uid: randomUuid(random),
      desiredAPIVersion: desired,
      objects,
    });
    const query = `timeout=${timeoutMs / 1000}s`;
    const call = { outbound, client: clientConfig, timeoutMs, query, review, maxBytes: maxAnswerBytes };
    return convertedObjects(await callWebhook(call), review);
  } catch (error) {
    const [first] = objects;
    const kind = `${first?.apiVersion}, Kind=${first?.kind}`;
    throw unexplainedFailure(`conversion webhook for ${kind} failed: ${messageOf(error)}`);
  }
}
