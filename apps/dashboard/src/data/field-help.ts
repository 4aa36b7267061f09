import type { ResourceInfo } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly 'x-kubernetes-group-version-kind'?: readonly { group: string; version: string; kind: string }[];
}

/** The server's description of a field. */
export interface FieldHelp {
  readonly path: string;
  readonly type: string;
  readonly description: string;
  readonly enum: readonly string[];
  readonly fields: readonly { readonly name: string; readonly type: string; readonly isRequired: boolean }[];
}

/** The schema of a kind, from the server's OpenAPI, custom kinds included. */
export class KindSchema {
  readonly #all: Readonly<Record<string, Schema>>;
  readonly #root: Schema | undefined;

  constructor(all: Readonly<Record<string, Schema>>, { group, version, kind }: ResourceInfo) {
    this.#all = all;
    this.#root = Object.values(all).find((schema) =>
      schema['x-kubernetes-group-version-kind']?.some(
        (one) => one.kind === kind && one.group === group && one.version === version,
      ),
    );
  }

  /** Help for a path of fields; undefined where the schema has no such field. */
  at(path: readonly string[]): FieldHelp | undefined {
    let schema = this.#root;
    let type = 'object';
    for (const name of path) {
      const next: Schema | undefined = schema && this.#field(schema, name);
      if (!next) return undefined;
      type = this.#typeOf(next);
      schema = next;
    }
    if (!schema) return undefined;
    const target = this.#resolved(schema);
    const inner = this.#innermost(schema);
    return {
      path: path.join('.'),
      type,
      description: schema.description ?? target.description ?? '',
      // The values of a list are those of its items.
      enum: target.enum ?? inner.enum ?? [],
      fields: Object.entries(inner.properties ?? {}).map(([name, field]) => ({
        name,
        type: this.#typeOf(field),
        isRequired: inner.required?.includes(name) ?? false,
      })),
    };
  }

  #field(schema: Schema, name: string): Schema | undefined {
    const inner = this.#innermost(schema);
    if (inner.properties?.[name]) return inner.properties[name];
    const values = this.#resolved(schema).additionalProperties;
    return typeof values === 'object' ? values : undefined;
  }

  #resolved(schema: Schema): Schema {
    const reference = schema.$ref ?? schema.allOf?.find(({ $ref }) => $ref)?.$ref;
    return (reference && this.#all[reference.replace('#/components/schemas/', '')]) || schema;
  }

  /** Behind lists: their items have the fields. */
  #innermost(schema: Schema): Schema {
    let current = this.#resolved(schema);
    while (current.items) current = this.#resolved(current.items);
    return current;
  }

  #typeOf(schema: Schema): string {
    const target = this.#resolved(schema);
    if (target.items) return `[]${this.#typeOf(target.items)}`;
    if (typeof target.additionalProperties === 'object')
      return `map[string]${this.#typeOf(target.additionalProperties)}`;
    return target.type ?? 'object';
  }
}

export async function loadSchema(client: Client, info: ResourceInfo, signal: AbortSignal): Promise<KindSchema> {
  const index = await client.raw('GET', '/openapi/v3', { signal });
  const path = info.group ? `apis/${info.group}/${info.version}` : `api/${info.version}`;
  // Some servers call the index plain text.
  const listed: unknown = typeof index.body === 'string' ? JSON.parse(index.body) : index.body;
  const { paths } = listed as { paths?: Record<string, { serverRelativeURL?: string }> };
  const url = paths?.[path]?.serverRelativeURL;
  if (!url) throw new Error(`the server has no schema of ${info.kind}`);
  const { body } = await client.raw('GET', url, { signal });
  const { components } = body as { components?: { schemas?: Record<string, Schema> } };
  return new KindSchema(components?.schemas ?? {}, info);
}
