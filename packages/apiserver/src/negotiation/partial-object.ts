import { schemaOf } from '@coracle/api';
import type { FieldSchema, KubeObject, ObjectMeta, ObjectSchema, Schema } from '@coracle/apimachinery';
import type { StoredObject } from '../storage/stored-object.js';
import type { OutputForm } from './output-form.js';

const encoder = new TextEncoder();

/** An object cut down to its metadata. */
export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: string;
  readonly metadata: ObjectMeta;
}

export function partialOf({ metadata }: KubeObject, version: OutputForm['asVersion'] = 'v1'): PartialObjectMetadata {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata };
}

/** Its JSON, made once for each object. */
export function partialJson(stored: StoredObject, version: OutputForm['asVersion'] = 'v1'): Uint8Array {
  return stored.form(`partial ${version}`, () => encoder.encode(JSON.stringify(partialOf(stored.object, version))));
}

/** Not among the generated definitions, because clients never send it. */
export const partialSchema: ObjectSchema = {
  type: 'object',
  name: 'io.k8s.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata',
  fields: new Map<string, FieldSchema>([['metadata', field('metadata', 1, () => schemaOf('meta-v1/ObjectMeta'))]]),
};

function field(name: string, number: number, resolve: () => Schema): FieldSchema {
  return {
    name,
    required: false,
    presence: 'given',
    proto: [number],
    get schema() {
      return resolve();
    },
  };
}
