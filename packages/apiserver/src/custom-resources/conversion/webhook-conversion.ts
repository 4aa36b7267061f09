import type { apiextensionsv1 } from '@coracle/api';
import { type KubeObject, unexplainedFailure, writeJson } from '@coracle/apimachinery';
import { messageOf, type Random, randomUuid } from '@coracle/base';
import type { RemoteConversion } from '../../conversion/conversion.js';
import type { Outbound } from '../../outbound/outbound.js';
import { callWebhook } from '../../outbound/webhook-client.js';
import { conversionReview, convertedObjects, WrongObjects } from './conversion-review.js';

/** So many objects are sent at once, and no more bytes than about this. */
const batchSize = 500;
const batchBytes = 4 * 1024 * 1024;
const timeoutMs = 30_000;
const maxAnswerBytes = 64 * 1024 * 1024;

export interface ConversionDependencies {
  readonly outbound: Outbound;
  readonly random: Random;
}

/** An object without what a version does not have. */
export type Prune = (object: KubeObject, apiVersion: string) => KubeObject;

interface Converter extends ConversionDependencies {
  readonly prune: Prune;
}

type WebhookOptions = apiextensionsv1.WebhookConversion;

/** Has a webhook turn objects of a CRD into the version that is served, and into the one that is stored. */
export function webhookConversion(
  deps: Converter,
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
  deps: Converter,
  webhook: WebhookOptions,
  { objects, desired }: Order,
): Promise<readonly KubeObject[]> {
  const others = objects.filter(({ apiVersion }) => apiVersion !== desired);
  const converted = new Map<KubeObject, KubeObject>();
  for (const batch of batchesOf(others)) {
    const answers = await ask(deps, webhook, { objects: batch, desired });
    for (const [index, object] of batch.entries())
      converted.set(object, deps.prune(answers[index] as KubeObject, desired));
  }
  return objects.map((object) => converted.get(object) ?? object);
}

/** In order. An object that is larger than a batch may be is sent alone. */
function* batchesOf(objects: readonly KubeObject[]): Generator<readonly KubeObject[]> {
  let batch: KubeObject[] = [];
  let bytes = 0;
  for (const object of objects) {
    const size = writeJson(object).length;
    if (batch.length > 0 && (batch.length >= batchSize || bytes + size > batchBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(object);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
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
    const outcome = error instanceof WrongObjects ? error.message : `failed: ${messageOf(error)}`;
    throw unexplainedFailure(`conversion webhook for ${kind} ${outcome}`);
  }
}
