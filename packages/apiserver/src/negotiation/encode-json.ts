import { type KubeObject, type ListMeta, readJson, writeJson } from '@coracle/apimachinery';
import { inServedVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';

const encoder = new TextEncoder();

export const newline: Uint8Array = encoder.encode('\n');
const bareItemHead = encoder.encode('{"metadata":{');
const nextBareItemHead = encoder.encode(',{"metadata":{');
export const comma: Uint8Array = encoder.encode(',');
export const listTail: Uint8Array = encoder.encode(']}\n');

/** The object in the version of the resource, as bytes without a newline at the end. */
export function jsonOf(resource: ServedResource, stored: StoredObject): Uint8Array {
  if (!resource.conversion) return stored.bytes;
  return stored.form(`json ${resource.apiVersion}`, () =>
    encoder.encode(writeJson(headFirst(inServedVersion(resource, stored.object)))),
  );
}

/** The same for a converted object, without its kind. */
function bareJsonOf(resource: ServedResource, stored: StoredObject): Uint8Array {
  return stored.form(`bare json ${resource.apiVersion}`, () =>
    encoder.encode(writeJson(withoutKind(inServedVersion(resource, stored.object)))),
  );
}

/** Kind and metadata precede the rest, for readability. */
function headFirst({ kind, apiVersion, metadata, ...rest }: KubeObject): object {
  return { kind, apiVersion, metadata, ...rest };
}

/** As an item of a list whose kind implies that of its items. */
export function withoutKind(object: object): object {
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = object as KubeObject;
  return rest;
}

/** The cached bytes of its items, one after the other: the HTTP server concatenates them as it sends them. */
export function jsonListOf(resource: ServedResource, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  const head = { kind: resource.listKind, apiVersion: resource.apiVersion, metadata };
  const chunks: Uint8Array[] = [listHead(head)];
  const { bareItems } = resource.stored;
  const bare = bareItems && !resource.conversion;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as StoredObject;
    if (bare) chunks.push(i > 0 ? nextBareItemHead : bareItemHead, item.bytes.subarray(item.format.head.length));
    else {
      if (i > 0) chunks.push(comma);
      chunks.push(bareItems ? bareJsonOf(resource, item) : jsonOf(resource, item));
    }
  }
  chunks.push(listTail);
  return chunks;
}

/** Everything up to the first item. */
export function listHead(head: object): Uint8Array {
  return encoder.encode(`${writeJson(head).slice(0, -1)},"items":[`);
}

const eventHeads = new Map(
  ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR'].map((type) => [
    type,
    encoder.encode(`{"type":"${type}","object":`),
  ]),
);
const eventTail = encoder.encode('}\n');

/** One line of a watch. */
export function jsonEvent(type: string, object: Uint8Array): Uint8Array {
  const head = eventHeads.get(type) as Uint8Array;
  const bytes = new Uint8Array(head.length + object.length + eventTail.length);
  bytes.set(head);
  bytes.set(object, head.length);
  bytes.set(eventTail, head.length + object.length);
  return bytes;
}

/** Encodes a value that is not a stored object: a Status, a discovery document, the response to a review. */
export function jsonValue(value: unknown, pretty: boolean): Uint8Array {
  return encoder.encode(`${pretty ? writeJson(value, 2) : writeJson(value)}\n`);
}

const decoder = new TextDecoder();

export function indent(bytes: Uint8Array): Uint8Array {
  return encoder.encode(writeJson(readJson(decoder.decode(bytes)), 2));
}
