import type { GroupVersionKind } from '@coracle/apimachinery';
import { customSchemaV2 } from './custom-schema-v2.js';
import {
  addDefinitions,
  type DefinitionObjects,
  definitionOfKind,
  deleteOptionsDefinition,
  patchDefinition,
  statusDefinition,
  watchEventDefinition,
} from './definitions.js';
import { commonFields } from './descriptions/fields.js';
import type { Operation } from './operations.js';
import { type Dialect, reference, type SchemaObject } from './schema-object.js';

/** Finds the `openAPIV3Schema` of a custom kind; `undefined` for a kind that is not custom or has none. */
export type CustomSchemas = (kind: GroupVersionKind) => SchemaObject | undefined;

/** Names the definitions that operations refer to, and gathers them for the document. */
export class DocumentKinds {
  readonly #dialect: Dialect;
  readonly #custom: CustomSchemas;
  readonly #builtIn = new Set<string>();
  readonly #customObjects: DefinitionObjects = {};

  constructor(dialect: Dialect, custom: CustomSchemas) {
    this.#dialect = dialect;
    this.#custom = custom;
  }

  /** The schema of the request body, or `undefined`. */
  bodyOf({ body, gvk }: Operation): SchemaObject | undefined {
    if (body === 'none' || gvk === undefined) return undefined;
    if (body === 'patch') return this.#refer(patchDefinition);
    return body === 'deleteOptions' ? this.#refer(deleteOptionsDefinition) : this.#kind(gvk);
  }

  /** The schema of the response. */
  answerOf({ answer, gvk }: Operation): SchemaObject {
    if (typeof answer === 'object') return this.#refer(answer.definition);
    if (answer === 'status') return this.#refer(statusDefinition);
    if (answer === 'watchEvent') return this.#refer(watchEventDefinition);
    if (answer === 'text' || gvk === undefined) return { type: 'string' };
    return answer === 'list' ? this.#list(gvk) : this.#kind(gvk);
  }

  /** Those of custom resources alone. */
  customDefinitions(): DefinitionObjects {
    return this.#customObjects;
  }

  /** All definitions that were referred to, and all that they refer to, in the order of their names. */
  definitions(): DefinitionObjects {
    const all: DefinitionObjects = { ...this.#customObjects };
    addDefinitions(this.#builtIn, this.#dialect, all);
    return Object.fromEntries(Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #refer(name: string): SchemaObject {
    this.#builtIn.add(name);
    return reference(name, this.#dialect);
  }

  #referMeta(): SchemaObject {
    this.#builtIn.add(objectMeta);
    return reference(objectMeta, this.#dialect, { description: commonFields['metadata'] });
  }

  #kind(gvk: GroupVersionKind): SchemaObject {
    const builtIn = definitionOfKind(gvk);
    if (builtIn !== undefined) return this.#refer(builtIn);
    const name = customName(gvk);
    this.#customObjects[name] ??= this.#hasFields(gvk)
      ? customObject(this.#customSchema(gvk), gvk, this.#referMeta())
      : { type: 'object', ...kindExtension(gvk) };
    return reference(name, this.#dialect);
  }

  /** Clients of version 2 take fields that are not named for wrong: of what may have any, none is named. */
  #hasFields(gvk: GroupVersionKind): boolean {
    if (this.#dialect.version !== 2) return true;
    const schema = this.#custom(gvk);
    return schema !== undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true;
  }

  #customSchema(gvk: GroupVersionKind): SchemaObject {
    const schema = this.#custom(gvk) ?? {};
    return this.#dialect.version === 2 ? customSchemaV2(schema) : schema;
  }

  #list(gvk: GroupVersionKind): SchemaObject {
    const list = { ...gvk, kind: `${gvk.kind}List` };
    const builtIn = definitionOfKind(list);
    if (builtIn !== undefined) return this.#refer(builtIn);
    const name = customName(list);
    this.#customObjects[name] ??= {
      type: 'object',
      required: ['items'],
      properties: {
        ...typeMeta,
        items: { type: 'array', items: this.#kind(gvk) },
        metadata: this.#refer(listMeta),
      },
      'x-kubernetes-group-version-kind': [list],
    };
    return reference(name, this.#dialect);
  }
}

const objectMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const listMeta = 'io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta';
const typeMeta = {
  apiVersion: { description: commonFields['apiVersion'], type: 'string' },
  kind: { description: commonFields['kind'], type: 'string' },
};

/** `stable.example.com/v1` CronTab → `com.example.stable.v1.CronTab`. */
function customName({ group, version, kind }: GroupVersionKind): string {
  return [...group.split('.').reverse(), version, kind].join('.');
}

function kindExtension({ group, version, kind }: GroupVersionKind): SchemaObject {
  return { 'x-kubernetes-group-version-kind': [{ group, kind, version }] };
}

function customObject(schema: SchemaObject, gvk: GroupVersionKind, metadata: SchemaObject): SchemaObject {
  const properties = (schema.properties ?? {}) as Record<string, unknown>;
  return {
    type: 'object',
    ...schema,
    properties: { ...properties, ...typeMeta, metadata },
    ...kindExtension(gvk),
  };
}
