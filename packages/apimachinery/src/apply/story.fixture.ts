import type { ManagedFieldsEntry } from '../object-meta.js';
import type { ObjectSchema } from '../schema.js';
import { applyConfiguration } from './apply-configuration.js';
import type { FieldSet } from './field-set.js';
import type { ConvertObject } from './ownership.js';
import { trackUpdate } from './track-update.js';

export interface Stored {
  metadata: { name: string; managedFields?: ManagedFieldsEntry[] | undefined };
}

/** One stored object and a sequence of requests that change it, one per second. */
export class Story {
  stored: (Stored & Record<string, unknown>) | undefined;
  readonly #schema: ObjectSchema;
  readonly #options: { readonly resetFields?: FieldSet; readonly convert?: ConvertObject };
  #seconds = 0;

  constructor(schema: ObjectSchema, options: { resetFields?: FieldSet; convert?: ConvertObject } = {}) {
    this.#schema = schema;
    this.#options = options;
  }

  apply(manager: string, config: object, { force = false, apiVersion = 'v1', subresource = '' } = {}): this {
    const request = {
      manager,
      force,
      apiVersion,
      subresource,
      schema: this.#schema,
      now: this.#now(),
      ...this.#options,
    };
    const { object } = applyConfiguration({ ...request, live: this.stored, config: named(config, apiVersion) });
    this.stored = object as Story['stored'];
    return this;
  }

  update(manager: string, content: object, { apiVersion = 'v1', subresource = '' } = {}): this {
    const object = named(content, apiVersion);
    const request = { manager, apiVersion, subresource, schema: this.#schema, now: this.#now(), ...this.#options };
    const managedFields = trackUpdate({ ...request, live: this.stored, object });
    this.stored = { ...object, metadata: { ...object.metadata, managedFields } };
    return this;
  }

  /** What is stored, without what every object has. */
  content(): object {
    if (!this.stored) return {};
    const { apiVersion: _, kind: __, metadata, ...content }: Stored & Record<string, unknown> = this.stored;
    const { name: ___, managedFields: ____, ...rest } = metadata;
    return Object.keys(rest).length > 0 ? { metadata: rest, ...content } : content;
  }

  /** The fields by owner: `one` for an applier, `two (Update)` for an updater. */
  owners(): Record<string, unknown> {
    const entries = this.stored?.metadata.managedFields ?? [];
    return Object.fromEntries(
      entries.map((entry) => [
        `${entry.manager}${entry.operation === 'Update' ? ' (Update)' : ''}${entry.subresource ? `/${entry.subresource}` : ''}`,
        entry.fieldsV1,
      ]),
    );
  }

  #now(): string {
    this.#seconds++;
    return `2026-01-01T00:00:${String(this.#seconds).padStart(2, '0')}Z`;
  }
}

function named(content: object, apiVersion: string): Stored & Record<string, unknown> {
  const metadata = { name: 'x', ...(content as { metadata?: object }).metadata };
  return { apiVersion, kind: 'Thing', ...content, metadata };
}
