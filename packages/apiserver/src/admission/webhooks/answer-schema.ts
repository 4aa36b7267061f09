import { schemaOf } from '@coracle/api';
import { decodeOwnedObject, type FieldSchema, type ObjectSchema, type Schema } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';

const text: Schema = { type: 'string' };

function objectOf(name: string, schemas: Readonly<Record<string, Schema>>): ObjectSchema {
  const fields = Object.entries(schemas).map(([field, schema]): [string, FieldSchema] => [
    field,
    { name: field, schema, required: false, presence: 'given' },
  ]);
  return { type: 'object', name, fields: new Map(fields) };
}

/** An AdmissionReview, without its request. */
const answerSchema = objectOf('AdmissionReview', {
  kind: text,
  apiVersion: text,
  response: objectOf('AdmissionResponse', {
    uid: text,
    allowed: { type: 'boolean' },
    status: schemaOf('meta-v1/Status'),
    patch: { type: 'bytes' },
    patchType: text,
    auditAnnotations: { type: 'map', values: text },
    warnings: { type: 'list', items: text },
  }),
});

/** Decodes the response of a webhook. Throws the problem if a field has another type. */
export function decodeAnswer(answer: unknown): unknown {
  return isRecord(answer) ? decodeOwnedObject(answer, answerSchema).object : answer;
}
