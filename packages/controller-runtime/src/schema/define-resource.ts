import type { apiextensionsv1 } from '@coracle/api';
import { apiVersionOf, type KubeObject, type ObjectMeta, type ResourceRef } from '@coracle/apimachinery';
import { withDefaults } from './fill-defaults.js';
import { pluralOf } from './plural-of.js';
import type { AnyNode, Infer, InferInput, JsonSchema, RuleOptions } from './schema-node.js';

/** A `CustomResourceDefinition` object. */
export type CustomResourceDefinition = apiextensionsv1.CustomResourceDefinition;
/** A column of `kubectl get`. */
export type PrinterColumn = apiextensionsv1.CustomResourceColumnDefinition;
/** The path of the number of replicas in an object. */
export type ScalePaths = apiextensionsv1.CustomResourceSubresourceScale;

/** The input of `defineResource`: names, schemas and subresources. */
export interface ResourceOptions<Spec extends AnyNode, Status extends AnyNode> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** Defaults to `Namespaced`. */
  readonly scope?: 'Namespaced' | 'Cluster';
  /** Defaults to the lower-case kind in the plural. */
  readonly plural?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly spec: Spec;
  /** If set, the status is a subresource: writes to the object ignore it, and its changes do not increment the generation. */
  readonly status?: Status;
  readonly printerColumns?: readonly PrinterColumn[];
  /** If set, the resource has a scale subresource, for `kubectl scale` and autoscalers. */
  readonly scale?: ScalePaths;
  /** JSON paths that field selectors may use. */
  readonly selectableFields?: readonly string[];
  /** CEL rules about the object as a whole. */
  readonly validations?: readonly (RuleOptions & { readonly rule: string })[];
  readonly description?: string;
  /**
   * `undefined` for a version that is not deprecated; the text that clients are warned with, or `true` for the usual
   * one.
   */
  readonly deprecated?: string | true;
}

/** An object of a defined resource. */
export type CustomObject<Spec, Status> = KubeObject & { spec: Spec; status?: Status };

/** Input of `make`: `apiVersion` and `kind` are added. */
export interface CustomObjectInput<Spec, Status> {
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly status?: Status;
}

/** A custom resource: its reference for clients and caches, its CRD, and its types. */
export interface DefinedResource<Spec extends AnyNode, Status extends AnyNode>
  extends ResourceRef<CustomObject<Infer<Spec>, Infer<Status>>> {
  readonly singular: string;
  readonly listKind: string;
  readonly options: ResourceOptions<Spec, Status>;
  /** The schema of its objects. */
  readonly schema: JsonSchema;
  /** The CRD with this version alone. Use `crdOf` for several versions. */
  readonly crd: CustomResourceDefinition;
  /** A whole object, with `apiVersion`, `kind` and the defaults that the server would fill in. */
  make(object: CustomObjectInput<InferInput<Spec>, InferInput<Status>>): CustomObject<Infer<Spec>, Infer<Status>>;
}

/** The type of a defined resource's objects: `type Website = ObjectOf<typeof Website>`. */
export type ObjectOf<Resource> = Resource extends ResourceRef<infer T> ? T : never;

/** Defines a custom resource: types, validation, CRD and client are derived from it. */
export function defineResource<Spec extends AnyNode, Status extends AnyNode = never>(
  options: ResourceOptions<Spec, Status>,
): DefinedResource<Spec, Status> {
  const { group, version, kind } = options;
  const singular = options.singular ?? kind.toLowerCase();
  const schema = schemaOf(options);
  const ref = {
    group,
    version,
    kind,
    resource: options.plural ?? pluralOf(singular),
    namespaced: options.scope !== 'Cluster',
  };
  const resource: DefinedResource<Spec, Status> = {
    ...ref,
    singular,
    listKind: `${kind}List`,
    options,
    schema,
    get crd() {
      return crdOf([resource]);
    },
    make: (object) =>
      withDefaults({ apiVersion: apiVersionOf(ref), kind, ...object }, schema) as CustomObject<
        Infer<Spec>,
        Infer<Status>
      >,
  };
  return resource;
}

/** Fields of a CRD other than its versions. */
export interface CrdOptions {
  /** The storage version. Defaults to the first version. */
  readonly storedVersion?: string;
  /** Conversion between versions. Defaults to `None`. */
  readonly conversion?: NonNullable<CustomResourceDefinition['spec']['conversion']>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A defined resource of any type. */
// biome-ignore lint/suspicious/noExplicitAny: versions of one resource have types of their own.
export type AnyDefinedResource = DefinedResource<any, any>;

/** The CRD of a resource with one or several versions, which share group, kind, names and scope. */
export function crdOf(versions: readonly AnyDefinedResource[], options: CrdOptions = {}): CustomResourceDefinition {
  const [first] = versions;
  if (!first) throw new Error('a resource must have at least one version');
  const { group, kind, resource, singular, listKind, namespaced } = first;
  const { storedVersion = first.version, conversion, labels, annotations } = options;
  const { shortNames, categories } = first.options;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${resource}.${group}`,
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
    },
    spec: {
      group,
      names: {
        kind,
        listKind,
        plural: resource,
        singular,
        ...(shortNames && { shortNames: [...shortNames] }),
        ...(categories && { categories: [...categories] }),
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: versions.map((version) => versionOf(version, storedVersion)),
      ...(conversion && { conversion }),
    },
  };
}

function versionOf(
  { version, schema, options }: AnyDefinedResource,
  stored: string,
): CustomResourceDefinition['spec']['versions'][number] {
  const { printerColumns, selectableFields, scale, status, deprecated } = options;
  return {
    name: version,
    served: true,
    storage: version === stored,
    schema: { openAPIV3Schema: schema },
    ...((status || scale) && { subresources: { ...(status && { status: {} }), ...(scale && { scale }) } }),
    ...(printerColumns && { additionalPrinterColumns: [...printerColumns] }),
    ...(selectableFields && {
      selectableFields: selectableFields.map((jsonPath: string) => ({ jsonPath })),
    }),
    ...(deprecated && { deprecated: true, ...(deprecated !== true && { deprecationWarning: deprecated }) }),
  };
}

function schemaOf(options: ResourceOptions<AnyNode, AnyNode>): JsonSchema {
  const { spec, status, validations, description } = options;
  return {
    type: 'object',
    ...(description && { description }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      spec: spec.json,
      ...(status && { status: status.json }),
    },
    ...(spec.presence === 'required' && { required: ['spec'] }),
    ...(validations && { 'x-kubernetes-validations': validations.map((rule) => ({ ...rule })) }),
  };
}
