import { apiVersionOf, type GroupVersionKind, parseApiVersion } from '../group-version.js';
import type { ObjectSchema } from '../schema.js';
import { badRequest } from '../status-error.js';
import { openEnvelope, wrapEnvelope } from './envelope.js';
import { decodeProto, encodeProto } from './proto.js';

/** An object of a kind, in the envelope that says which. */
export function encodeKind(
  object: { readonly apiVersion?: string; readonly kind?: string },
  schema: ObjectSchema,
): Uint8Array {
  const { apiVersion = '', kind = '' } = object;
  return wrapEnvelope({ apiVersion, kind, raw: encodeProto(object, schema) });
}

/**
 * The object in an envelope, with its `apiVersion` and `kind`, or those of `otherwise` where the envelope has none. A
 * kind without a schema is a BadRequest.
 */
export function decodeKind(
  bytes: Uint8Array,
  schemaOf: (kind: GroupVersionKind) => ObjectSchema | undefined,
  otherwise?: GroupVersionKind,
): Record<string, unknown> {
  const envelope = openEnvelope(bytes);
  const kind = envelope.kind || otherwise?.kind || '';
  const apiVersion = envelope.apiVersion || (otherwise ? apiVersionOf(otherwise) : '');
  const groupVersion = parseApiVersion(apiVersion);
  const schema = groupVersion && schemaOf({ ...groupVersion, kind });
  if (!schema) throw badRequest(`no kind "${kind}" is registered for version "${apiVersion}"`);
  return { apiVersion, kind, ...(decodeProto(envelope.raw, schema) as Record<string, unknown>) };
}
