import { schemaOfKind } from '@coracle/api';
import {
  type ApiResponse,
  decodeKind,
  parseYamlDocuments,
  protobufMediaType,
  type RequestBody,
  readJson,
} from '@coracle/apimachinery';
import { concatBytes, isRecord } from '@coracle/base';

export function readRequest(body: RequestBody | undefined, contentType = 'application/json'): unknown {
  if (!body) return undefined;
  return body.kind === 'value' ? body.value : readBytes(body.bytes, contentType);
}

export function readResponse({ body, headers }: ApiResponse): unknown {
  if (body.kind === 'value') return body.value;
  if (body.kind !== 'bytes') return undefined;
  return readBytes(concatBytes(body.chunks), String(headers['content-type'] ?? ''));
}

/** A body that cannot be decoded is not recorded: the request is rejected anyway. */
function readBytes(bytes: Uint8Array, contentType: string): unknown {
  if (bytes.length === 0) return undefined;
  try {
    if (contentType.startsWith(protobufMediaType)) return decodeKind(bytes, schemaOfKind);
    if (contentType.includes('yaml')) return parseYamlDocuments(bytes)[0]?.value;
    return readJson(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

export function withoutManagedFields(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { metadata, items } = value;
  if (Array.isArray(items)) return { ...value, items: items.map(withoutManagedFields) };
  if (!isRecord(metadata) || metadata['managedFields'] === undefined) return value;
  const { managedFields: _managed, ...rest } = metadata;
  return { ...value, metadata: rest };
}
