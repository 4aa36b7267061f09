import type { KubeObject } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

const group = 'apiextensions.k8s.io';
const reviewVersions: readonly string[] = ['v1', 'v1beta1'];

export interface ConversionReview {
  readonly kind: 'ConversionReview';
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly KubeObject[];
  };
}

/** The webhook did convert, but not what it was to. */
export class WrongObjects extends Error {
  override readonly name = 'WrongObjects';
}

/** The first version that the webhook names and that is spoken here. */
export function conversionReview(offered: readonly string[], request: ConversionReview['request']): ConversionReview {
  const version = offered.find((one) => reviewVersions.includes(one));
  if (!version) throw new Error(`conversion review versions [${offered.join(' ')}] are not supported`);
  return { kind: 'ConversionReview', apiVersion: `${group}/${version}`, request };
}

/** The objects in a webhook's response, validated one by one. Throws a message if one is invalid. */
export function convertedObjects(answer: unknown, { apiVersion, request }: ConversionReview): readonly KubeObject[] {
  const review = isRecord(answer) ? answer : {};
  if (review['kind'] !== 'ConversionReview' || review['apiVersion'] !== apiVersion)
    throw new Error(
      `expected webhook response of ${apiVersion}, Kind=ConversionReview, got ${review['apiVersion'] ?? ''}, Kind=${review['kind'] ?? ''}`,
    );
  const { response } = review;
  if (!isRecord(response)) throw new Error('no response provided');
  const { uid, result, convertedObjects: converted } = response;
  if (uid !== request.uid)
    throw new Error(`expected response.uid=${JSON.stringify(request.uid)}, got ${JSON.stringify(uid ?? '')}`);
  const { status, message } = isRecord(result) ? result : {};
  if (status !== 'Success')
    throw new Error(
      typeof message === 'string' && message !== ''
        ? message
        : `response.result.status was '${status ?? ''}', not 'Success'`,
    );
  if (!Array.isArray(converted) || converted.length !== request.objects.length)
    throw new WrongObjects(
      `returned ${Array.isArray(converted) ? converted.length : 0} objects, expected ${request.objects.length}`,
    );
  return converted.map((object, index) => checked(object, request.objects[index] as KubeObject, { index, request }));
}

interface Place {
  readonly index: number;
  readonly request: ConversionReview['request'];
}

/** A conversion may change everything but what the object is called, and of its metadata only labels and annotations. */
function checked(converted: unknown, original: KubeObject, { index, request }: Place): KubeObject {
  const refuse = (why: string) => new WrongObjects(`returned invalid converted object at index ${index}: ${why}`);
  if (!isRecord(converted) || !isRecord(converted['metadata'])) throw refuse('it is no object with metadata');
  const object = converted as Record<string, unknown> & { readonly metadata: KubeObject['metadata'] };
  const { apiVersion, kind, metadata } = object;
  if (apiVersion !== request.desiredAPIVersion)
    throw refuse(`invalid groupVersion (expected ${request.desiredAPIVersion}, received ${apiVersion ?? ''})`);
  if (kind !== original.kind) throw refuse(`invalid kind (expected ${original.kind}, received ${kind ?? ''})`);
  const before = original.metadata;
  for (const field of ['name', 'namespace', 'uid'] as const) {
    const shown = field === 'uid' ? 'UID' : field;
    if ((metadata[field] ?? '') !== (before[field] ?? ''))
      throw refuse(`must have the same ${shown}: ${before[field] ?? ''} != ${metadata[field] ?? ''}`);
  }
  const { labels, annotations } = metadata;
  const { labels: _labels, annotations: _annotations, ...otherMetadata } = before;
  return {
    ...object,
    apiVersion: request.desiredAPIVersion,
    kind: original.kind as string,
    metadata: { ...otherMetadata, ...(labels && { labels }), ...(annotations && { annotations }) },
  };
}
