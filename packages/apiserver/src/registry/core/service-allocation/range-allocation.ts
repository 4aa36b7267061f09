import { schemaOf } from '@coracle/api';
import {
  decodeKind,
  encodeKind,
  type FieldSchema,
  fromBase64,
  isEnvelope,
  type ObjectSchema,
  type Schema,
  toBase64,
} from '@coracle/apimachinery';
import { PortBitmap } from './port-bitmap.js';
import { type PortRange, portRange } from './range.js';

const kind = { kind: 'RangeAllocation', apiVersion: 'v1' };

interface RangeAllocation {
  readonly range?: string;
  /** The bitmap, in base64. */
  readonly data?: string;
}

/** The value in which kube-apiserver stores the allocations of a range. No API serves this kind. */
export function encodePorts(range: PortRange, taken: PortBitmap): Uint8Array {
  const allocation = { ...kind, metadata: {}, range: range.text, data: toBase64(taken.toBytes()) };
  return encodeKind(allocation, schema());
}

/** The allocations of such a value for a range, which may differ from the range for which it was written. */
export function decodePorts(range: PortRange, value: Uint8Array): PortBitmap {
  const stored = (
    isEnvelope(value) ? decodeKind(value, schema) : JSON.parse(new TextDecoder().decode(value))
  ) as RangeAllocation;
  const storedRange = portRange(stored.range ?? '');
  const taken = new PortBitmap(range);
  if (!storedRange) return taken;
  for (const port of PortBitmap.fromBytes(storedRange, fromBase64(stored.data ?? '') ?? new Uint8Array()))
    taken.set(port, true);
  return taken;
}

function schema(): ObjectSchema {
  const fields = [
    field('metadata', schemaOf('meta-v1/ObjectMeta'), 1),
    field('range', { type: 'string' }, 2),
    field('data', { type: 'bytes' }, 3),
  ];
  return {
    type: 'object',
    name: 'io.k8s.api.core.v1.RangeAllocation',
    fields: new Map(fields.map((one) => [one.name, one])),
  };
}

function field(name: string, fieldSchema: Schema, number: number): FieldSchema {
  return { name, schema: fieldSchema, required: true, presence: 'always', proto: [number] };
}
