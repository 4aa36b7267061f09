import {
  type DecodedObject,
  type DecodeOptions,
  decodeOwnedObject,
  type KubeObject,
  type ObjectSchema,
  objectOfKind,
  setField,
} from '@coracle/apimachinery';
import { deepCopy, fieldsOf, isRecord, ownValue } from '@coracle/base';

/** An object as a map of its fields, because the types of objects have no index signature. */
type Fields = Readonly<Record<string, unknown>>;

export interface PatchedObject {
  /** The object before the patch. */
  readonly base: KubeObject;
  /** How an unchanged field is taken over; copied unless set. */
  readonly takeOver?: ((name: string, value: unknown) => unknown) | undefined;
  readonly schema: ObjectSchema;
  readonly options: DecodeOptions;
}

/**
 * Decodes the result of a patch. Parts that it shares with the original object are in canonical form already: they are
 * copied without decoding. The managed fields are not even copied: their entries are never changed.
 */
export function decodePatched(
  patched: unknown,
  { base, takeOver = copied, schema, options }: PatchedObject,
): DecodedObject<KubeObject> {
  if (!isRecord(patched)) return decodeOwnedObject<KubeObject>(deepCopy(patched), schema, options);
  const before = fieldsOf(base);
  const touched: Record<string, unknown> = {};
  for (const name in patched) if (!isUntouched(name, patched, before)) setField(touched, name, patched[name]);
  const owners = base.metadata.managedFields;
  const keepsOwners = isRecord(touched['metadata']) && touched['metadata']['managedFields'] === owners;
  if (keepsOwners) touched['metadata'] = withoutOwners(touched['metadata'] as Fields);
  const decoded = decodeOwnedObject<KubeObject>(deepCopy(touched), schema, options);
  const object = objectOfKind(inOrderOf(patched, fieldsOf(decoded.object), { before, takeOver }));
  if (keepsOwners && owners) object.metadata.managedFields = owners;
  return { ...decoded, object };
}

function isUntouched(name: string, patched: Fields, before: Fields): boolean {
  return name !== 'metadata' && typeof patched[name] === 'object' && patched[name] === before[name];
}

function withoutOwners({ managedFields: _, ...metadata }: Fields): Fields {
  return metadata;
}

function copied(_name: string, value: unknown): unknown {
  return deepCopy(value);
}

/** The decoded fields, and copies of the unchanged ones, in the order of the patched object. */
function inOrderOf(
  patched: Fields,
  decoded: Fields,
  { before, takeOver }: { readonly before: Fields; readonly takeOver: typeof copied },
): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const name in patched) {
    if (isUntouched(name, patched, before)) {
      setField(object, name, takeOver(name, patched[name]));
    } else if (ownValue(decoded, name) !== undefined) setField(object, name, decoded[name]);
  }
  for (const name in decoded) object[name] ??= decoded[name];
  return object;
}
