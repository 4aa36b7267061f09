import { type apiextensionsv1, type KindRules, printerFromColumns } from '@coracle/api';
import type { KubeObject, ObjectSchema, TablePrinter } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { CustomResourceDefinition } from '../registry/apiextensions/crd-status.js';
import { customRules } from './custom-rules.js';
import { type JsonSchema, objectSchemaOf } from './structural-schema.js';

/** A version of a CRD without its schema, which is most of it. */
export type VersionParts = Omit<apiextensionsv1.CustomResourceDefinitionVersion, 'schema'>;

/** What is computed from a served CRD; its schemas are read when they are needed. */
export interface CrdParts extends Pick<CustomResourceDefinition, 'metadata' | 'status'> {
  readonly spec: Omit<CustomResourceDefinition['spec'], 'versions'> & { readonly versions: readonly VersionParts[] };
}

/** The CRD without its schemas and managed fields. */
export function partsOf({ metadata, spec, status }: CustomResourceDefinition): CrdParts {
  const { managedFields: _owners, annotations: _annotations, ...identity } = metadata;
  const versions = spec.versions.map(({ schema: _schema, ...parts }) => parts);
  return { metadata: identity, spec: { ...spec, versions }, ...(status && { status }) };
}

const anyObject: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export function schemaOf({ spec }: CustomResourceDefinition, version: string): JsonSchema {
  return spec.versions.find(({ name }) => name === version)?.schema?.openAPIV3Schema ?? anyObject;
}

/** Whether the schema of a version has a default somewhere. */
export function hasDefaults(schema: JsonSchema): boolean {
  if (schema.default !== undefined) return true;
  const { properties, items, additionalProperties } = schema;
  for (const name in properties) if (hasDefaults(properties[name] as JsonSchema)) return true;
  return [items, additionalProperties].some((below) => isRecord(below) && hasDefaults(below as JsonSchema));
}

/** What reads, checks and shows the objects of a version. Each part is made on first use. */
export class VersionMachinery {
  readonly #version: VersionParts;
  readonly #schemas: VersionSchemas;
  #json: JsonSchema | undefined;
  #schema: ObjectSchema | undefined;
  #rules: KindRules<KubeObject> | undefined;
  #printer: TablePrinter | undefined;

  constructor(version: VersionParts, schemas: VersionSchemas) {
    this.#version = version;
    this.#schemas = schemas;
  }

  get schema(): ObjectSchema {
    return (this.#schema ??= objectSchemaOf(this.#source));
  }

  get rules(): KindRules<KubeObject> {
    return (this.#rules ??= customRules(this.#source, this.#version.subresources?.scale));
  }

  get printer(): TablePrinter {
    return (this.#printer ??= printerFromColumns(this.#version.additionalPrinterColumns));
  }

  get #source(): JsonSchema {
    return (this.#json ??= this.#schemas.json(this.#version.name));
  }
}

/**
 * The schemas of one CRD, by version. They are read from the CRD when its first object is decoded, and cached from then
 * on: of a thousand CRDs, few are used.
 */
export class VersionSchemas {
  readonly #read: () => CustomResourceDefinition | undefined;
  readonly #machineries = new Map<string, VersionMachinery>();

  /** `read` returns the current CRD. */
  constructor(read: () => CustomResourceDefinition | undefined) {
    this.#read = read;
  }

  /** As in the CRD, not cached. */
  json(version: string): JsonSchema {
    const crd = this.#read();
    return crd ? schemaOf(crd, version) : anyObject;
  }

  machinery(version: VersionParts): VersionMachinery {
    const made = this.#machineries.get(version.name) ?? new VersionMachinery(version, this);
    this.#machineries.set(version.name, made);
    return made;
  }
}
