import type { ListMeta } from '@coracle/apimachinery';
import type { ServedResource } from '../registry/served-resource.js';
import type { StoredObject } from '../storage/stored-object.js';
import { indent, jsonListOf, jsonOf, jsonValue, newline } from './encode-json.js';
import type { OutputForm } from './output-form.js';

export interface Target {
  readonly resource: ServedResource;
  readonly form: OutputForm;
}

export function encodeObject({ resource, form }: Target, stored: StoredObject): Uint8Array[] {
  const bytes = jsonOf(resource, stored);
  return [form.pretty ? indent(bytes) : bytes, newline];
}

export function encodeList({ resource }: Target, items: readonly StoredObject[], metadata: ListMeta): Uint8Array[] {
  return jsonListOf(resource, items, metadata);
}

export function encodeValue(form: OutputForm, value: unknown): Uint8Array[] {
  return [jsonValue(value, form.pretty)];
}
