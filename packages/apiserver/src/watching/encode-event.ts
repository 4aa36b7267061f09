import { schemaOf } from '@coracle/api';
import {
  encodeKind,
  encodeWatchFrame,
  formatYaml,
  type KubeObject,
  type ObjectSchema,
  type Status,
  wrapEnvelope,
  writeJson,
} from '@coracle/apimachinery';
import { jsonEvent, jsonOf } from '../negotiation/encode-json.js';
import { objectIn, protobufOf, type Target } from '../negotiation/encoders.js';
import { partialJson, partialOf, partialSchema } from '../negotiation/partial-object.js';
import { tableValue } from '../negotiation/table.js';
import type { StoredObject } from '../storage/stored-object.js';
import type { ChangeType } from './cache-event.js';

export type { Target };

const encoder = new TextEncoder();

/**
 * Encodes one event of a watch in the form of the target. Only the first one of a watch has the columns of a table.
 */
export function encodeEvent(target: Target, type: ChangeType, object: StoredObject, isFirst = false): Uint8Array {
  const { resource, form } = target;
  if (form.as === 'table') {
    const metadata = { resourceVersion: String(object.revision) };
    return encodeAny(target, type, tableValue(target, [object], { metadata, withColumns: isFirst }));
  }
  if (form.encoding === 'json') {
    return jsonEvent(type, form.as === 'partial' ? partialJson(object, form.asVersion) : jsonOf(resource, object));
  }
  if (form.encoding === 'yaml') return yamlEvent(type, objectIn(target, object));
  const identity =
    form.as === 'partial'
      ? { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${form.asVersion}` }
      : { kind: resource.info.kind, apiVersion: resource.apiVersion };
  return encodeWatchFrame({ type, object: wrapEnvelope({ ...identity, raw: protobufOf(target, object) }) });
}

export function encodeBookmark(target: Target, object: KubeObject): Uint8Array {
  const { resource, form } = target;
  const value = form.as === 'partial' ? partialOf(object, form.asVersion) : object;
  if (form.as === 'table') {
    const row = { cells: [], object: partialOf(object, form.asVersion) };
    const { metadata } = object;
    const table = {
      kind: 'Table',
      apiVersion: `meta.k8s.io/${form.asVersion}`,
      metadata: { resourceVersion: metadata.resourceVersion },
    };
    return encodeAny(target, 'BOOKMARK', { ...table, columnDefinitions: [], rows: [row] });
  }
  if (form.encoding !== 'protobuf') return encodeAny(target, 'BOOKMARK', value);
  const schema = form.as === 'partial' ? partialSchema : resource.schema;
  return encodeWatchFrame({ type: 'BOOKMARK', object: encodeKind(value, schema) });
}

export function encodeErrorEvent(target: Target, status: Status): Uint8Array {
  if (target.form.encoding !== 'protobuf') return encodeAny(target, 'ERROR', status);
  return encodeWatchFrame({ type: 'ERROR', object: encodeKind(status, schemaOf('meta-v1/Status') as ObjectSchema) });
}

function encodeAny({ form }: Target, type: string, value: unknown): Uint8Array {
  if (form.encoding === 'yaml') return yamlEvent(type, value);
  return jsonEvent(type, encoder.encode(writeJson(value)));
}

function yamlEvent(type: string, object: unknown): Uint8Array {
  return encoder.encode(`---\n${formatYaml({ object, type })}`);
}
