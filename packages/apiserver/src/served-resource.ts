import type { apiextensionsv1, KindRules } from '@coracle/api';
import type { GroupVersionKind, KubeObject, ObjectSchema, ResourceInfo, TablePrinter } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { Conversion } from './conversion/conversion.js';
import type { SpecInterner } from './registry/interning/spec-interner.js';
import type { Strategy } from './registry/strategy.js';
import type { ResourceStorage } from './watching/resource-storage.js';

/**
 * The stored version of a resource, which all its versions share: writes in any version use it, except for custom
 * resources, which are written in the version of the request.
 */
export interface StoredResource extends GroupVersionKind {
  readonly apiVersion: string;
  readonly resource: string;
  readonly namespaced: boolean;
  readonly schema: ObjectSchema;
  readonly rules: KindRules<KubeObject>;
  readonly strategy: Strategy;
  readonly storage: ResourceStorage;
  readonly specs: SpecInterner;
  /** Served versions, by `apiVersion`. Filled by the table of resources. */
  readonly versions: Map<string, ServedResource>;
  /** Whether items of a list include kind and apiVersion: those of custom types do, those of built-in types do not. */
  readonly bareItems: boolean;
  /** Converts objects that are stored in another version than this one. */
  readonly conversion?: Conversion;
  /** Converts objects that are written in this version to the stored one. */
  readonly toStorage?: (object: KubeObject) => MaybePromise<KubeObject>;
  /** Resolves when the server has processed a new object itself. */
  settled?: () => Promise<void>;
}

/** Reads the fields that selectors can use. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;

/** A served version of a resource. */
export interface ServedResource {
  readonly info: ResourceInfo;
  readonly apiVersion: string;
  readonly listKind: string;
  readonly schema: ObjectSchema;
  readonly rules: KindRules<KubeObject>;
  readonly stored: StoredResource;
  /** Absent in the version in which the resource is stored. */
  readonly conversion?: Conversion;
  /**
   * Of a custom resource in a version that is not the stored one: the resource for writes, which are validated in the version of the
   * request. It has no conversion, and its `stored` is in this version.
   */
  readonly written?: ServedResource | undefined;
  /** Field selectors of this version; those of the stored one unless stated. */
  readonly selectableFields?: SelectableFields;
  /** Columns of this version; those of the built-in kind unless stated. */
  readonly printer?: TablePrinter;
  /** For custom resources: changes with the CRD. */
  readonly revision?: string;
  /** For custom resources: the schema in the CRD. */
  readonly jsonSchema?: () => Readonly<Record<string, unknown>>;
  /** The paths of the scale subresource of a custom resource. */
  readonly scalePaths?: apiextensionsv1.CustomResourceSubresourceScale;
  /** Set if it is served but not in discovery yet: its CRD is not established. */
  readonly isUndiscovered?: boolean;
  /** The warning for clients that use it. */
  readonly deprecation?: string;
}

/** A cache. */
const unconverted = new WeakMap<ServedResource, ServedResource>();

/** The resource for objects that are in its version already. Its lazily computed parts are those of the original. */
export function withoutConversion(resource: ServedResource): ServedResource {
  let direct = unconverted.get(resource);
  if (!direct) {
    direct = Object.create(resource, { conversion: { value: undefined } }) as ServedResource;
    unconverted.set(resource, direct);
  }
  return direct;
}
