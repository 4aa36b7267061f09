import { schemaOfAnswer } from '@coracle/api';
import { type KubeObject, type ObjectMeta, type ObjectSchema, writeJson } from '@coracle/apimachinery';
import type { StoredObject } from '../storage/stored-object.js';
import type { OutputForm } from './output-form.js';

const encoder = new TextEncoder();

/** An object reduced to its metadata. */
export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

export function partialOf({ metadata }: KubeObject, version: OutputForm['asVersion'] = 'v1'): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** Its JSON, encoded once for each object. */
export function partialJson(stored: StoredObject, version: OutputForm['asVersion'] = 'v1'): Uint8Array {
  return stored.form(`partial ${version}`, () => encoder.encode(writeJson(partialOf(stored.object, version))));
}

export const partialSchema: ObjectSchema = schemaOfAnswer({
  group: 'meta.k8s.io',
  version: 'v1',
  kind: 'PartialObjectMetadata',
}) as ObjectSchema;
