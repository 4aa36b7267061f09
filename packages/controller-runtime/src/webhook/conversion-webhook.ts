import { type Exchange, type KubeObject, parseApiVersion } from '@coracle/apimachinery';
import { deepCopy, deepEqual, messageOf } from '@coracle/base';
import { reviewExchange } from './review-exchange.js';

/** Converts one version to the hub and back. Both functions get a copy; `apiVersion` is set for them. */
export interface VersionConversion {
  toHub(object: KubeObject): KubeObject;
  fromHub(object: KubeObject): KubeObject;
}

/** A kind with the versions that it is served in. */
export interface ConvertibleKind {
  readonly group: string;
  readonly kind: string;
  /** The version through which all others are turned into each other. */
  readonly hub: string;
  readonly versions: Readonly<Record<string, VersionConversion>>;
}

interface ConversionRequest {
  readonly desiredAPIVersion: string;
  readonly objects?: readonly KubeObject[];
}

/** Answers ConversionReviews: all objects of a review are turned, or none. */
export function conversionWebhook(kinds: readonly ConvertibleKind[]): Exchange {
  const answers = { kind: 'ConversionReview', group: 'apiextensions.k8s.io' };
  return reviewExchange<ConversionRequest>(answers, async ({ request }) => {
    const { desiredAPIVersion, objects = [] } = request;
    try {
      const convertedObjects = objects.map((object) => convert(kinds, object, desiredAPIVersion));
      return { convertedObjects, result: { status: 'Success' } };
    } catch (error) {
      const message = messageOf(error);
      return { convertedObjects: [], result: { status: 'Failure', message } };
    }
  });
}

function convert(kinds: readonly ConvertibleKind[], object: KubeObject, desired: string): KubeObject {
  const from = parseApiVersion(object.apiVersion ?? '');
  const to = parseApiVersion(desired);
  const match = kinds.find(({ group, kind }) => group === from?.group && kind === object.kind);
  if (!from || !to || !match || from.group !== to.group)
    throw new Error(`cannot convert ${object.apiVersion} ${object.kind} to ${desired}`);
  const hub = stepOf(match, from.version)?.toHub(deepCopy(object)) ?? deepCopy(object);
  const converted = stepOf(match, to.version)?.fromHub(hub) ?? hub;
  checkMetadata(object, converted);
  return { ...converted, apiVersion: desired, kind: match.kind };
}

function stepOf({ hub, versions, kind }: ConvertibleKind, version: string): VersionConversion | undefined {
  if (version === hub) return undefined;
  const step = versions[version];
  if (!step) throw new Error(`${kind} has no version ${version}`);
  return step;
}

/** The server keeps labels and annotations of what is converted and refuses any other change of metadata. */
function checkMetadata(before: KubeObject, after: KubeObject): void {
  const fixed = ({ metadata: { labels: _, annotations: __, ...rest } }: KubeObject) => rest;
  if (!deepEqual(fixed(before), fixed(after)))
    throw new Error('a conversion must not change metadata other than labels and annotations');
}
