import { decodeObject, type KubeObject, parseApiVersion } from '@coracle/apimachinery';
import { tablePrinterOf } from '../printers.js';
import { schemaOfKind } from '../schemas.js';

/** When the tables of tests are made: five days after their objects. */
export const now = Date.parse('2026-01-06T00:00:00Z');
const creationTimestamp = '2026-01-01T00:00:00Z';

interface Sample {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: object;
  readonly [field: string]: unknown;
}

/** The cells of an object named `x`. Fields that its kind does not have are an error. */
export function cellsOf(sample: Sample): unknown[] {
  const { apiVersion, kind, metadata } = sample;
  const gvk = { ...(parseApiVersion(apiVersion) ?? { group: '', version: '' }), kind };
  const schema = schemaOfKind(gvk);
  if (!schema) throw new Error(`no such kind: ${apiVersion} ${kind}`);
  const full = { ...sample, metadata: { name: 'x', creationTimestamp, ...metadata } };
  const { object, unknownFields } = decodeObject<KubeObject>(full, schema);
  if (unknownFields.length > 0) throw new Error(`no such fields: ${unknownFields.join(', ')}`);
  return tablePrinterOf(gvk).cells(object, now);
}
