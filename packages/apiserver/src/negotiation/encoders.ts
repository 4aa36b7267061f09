import { schemaOf, schemaOfKind } from '@coracle/api';
import {
  encodeKind,
  encodeProto,
  formatYaml,
  type ListMeta,
  notAcceptable,
  type ObjectSchema,
  parseApiVersion,
  wrapEnvelope,
  wrapListEnvelope,
} from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { inServedVersion } from '../conversion/conversion.js';
import type { ServedResource } from '../served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import {
  comma,
  indent,
  jsonListOf,
  jsonOf,
  jsonValue,
  listHead,
  listTail,
  newline,
  withoutKind,
} from './encode-json.js';
import type { OutputForm } from './output-form.js';
import { partialJson, partialOf, partialSchema } from './partial-object.js';
import { type IncludedObject, jsonTable, tableValue } from './table.js';

const encoder = new TextEncoder();

/** The object to encode, and the form. */
export interface Target {
  readonly resource: ServedResource;
  readonly form: OutputForm;
  /** Only for tables. */
  readonly include: IncludedObject;
  /** The time from which ages are computed; updated for every event of a watch. */
  readonly now: () => Millis;
}

/** Encodes one object as a response of its own. */
export function encodeObject(target: Target, stored: StoredObject): Uint8Array[] {
  const { form, resource } = target;
  if (form.as === 'table') {
    const metadata = { resourceVersion: String(stored.revision) };
    return encodeValue(form, tableValue(target, [stored], { metadata }));
  }
  if (form.encoding === 'json') {
    const bytes = form.as === 'partial' ? partialJson(stored, form.asVersion) : jsonOf(resource, stored);
    return [form.pretty ? indent(bytes) : bytes, newline];
  }
  if (form.encoding === 'yaml') return [encoder.encode(formatYaml(objectIn(target, stored)))];
  const message = protobufOf(target, stored);
  const { kind, apiVersion } = identityOf(target);
  return [wrapEnvelope({ kind, apiVersion, raw: message })];
}

export function encodeList(target: Target, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  const { resource, form } = target;
  if (form.encoding === 'protobuf') return protobufList(target, items, metadata);
  if (form.encoding === 'yaml' || form.pretty) return encodeValue(form, listValue(target, items, metadata));
  if (form.as === 'table') return jsonTable(target, items, metadata);
  if (form.as === 'partial') return jsonPartials(target, items, metadata);
  return jsonListOf(resource, items, metadata);
}

/** Encodes an object that is not stored. For protobuf its kind must be set. */
export function encodeValue(form: OutputForm, value: unknown): Uint8Array[] {
  if (form.encoding === 'yaml') return [encoder.encode(formatYaml(value))];
  if (form.encoding === 'json') return [jsonValue(value, form.pretty)];
  const { apiVersion = '', kind = '' } = value as { apiVersion?: string; kind?: string };
  const schema = schemaFor(apiVersion, kind);
  if (!schema) throw notAcceptable(['application/json', 'application/yaml']);
  return [encodeKind(value as object, schema)];
}

/** The kinds of `v1` that belong to no group: statuses and discovery documents. */
const unversioned: ReadonlySet<string> = new Set([
  'Status',
  'APIVersions',
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
]);

function schemaFor(apiVersion: string, kind: string): ObjectSchema | undefined {
  const groupVersion = parseApiVersion(apiVersion);
  if (unversioned.has(kind) && (apiVersion === 'v1' || apiVersion === ''))
    return schemaOf(`meta-v1/${kind}`) as ObjectSchema;
  if (!groupVersion) return undefined;
  return schemaOfKind({ ...groupVersion, kind });
}

/** The object as a value, in the requested form. */
export function objectIn({ resource, form }: Target, stored: StoredObject): object {
  if (form.as === 'partial') return partialOf(stored.object, form.asVersion);
  return inServedVersion(resource, stored.object);
}

function listValue(target: Target, items: readonly StoredObject[], metadata: ListMeta): object {
  if (target.form.as === 'table') return tableValue(target, items, { metadata });
  const isBare = target.resource.stored.bareItems && target.form.as !== 'partial';
  const objects = items.map((item) => objectIn(target, item));
  return { ...listIdentity(target), metadata, items: isBare ? objects.map(withoutKind) : objects };
}

function identityOf({ resource, form }: Target): { kind: string; apiVersion: string } {
  if (form.as === 'partial') return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${form.asVersion}` };
  return { kind: resource.info.kind, apiVersion: resource.apiVersion };
}

function listIdentity(target: Target): { kind: string; apiVersion: string } {
  if (target.form.as === 'partial') {
    return { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${target.form.asVersion}` };
  }
  return { kind: target.resource.listKind, apiVersion: target.resource.apiVersion };
}

/** The protobuf message of an object, without an envelope. Encoded once for each object and form. */
export function protobufOf(target: Target, stored: StoredObject): Uint8Array {
  const { resource, form } = target;
  const schema = form.as === 'partial' ? partialSchema : resource.schema;
  return stored.form(`protobuf ${form.as} ${resource.apiVersion}`, () => encodeProto(objectIn(target, stored), schema));
}

function protobufList(target: Target, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  return wrapListEnvelope({
    ...listIdentity(target),
    metadata: encodeProto(metadata, schemaOf('meta-v1/ListMeta') as ObjectSchema),
    items: items.map((item) => protobufOf(target, item)),
  });
}

function jsonPartials(target: Target, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  const chunks: Uint8Array[] = [listHead({ ...listIdentity(target), metadata })];
  items.forEach((item, index) => {
    if (index > 0) chunks.push(comma);
    chunks.push(partialJson(item, target.form.asVersion));
  });
  chunks.push(listTail);
  return chunks;
}
