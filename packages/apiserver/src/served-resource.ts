import type { apiextensionsv1, KindRules } from '@coracle/api';
import type { GroupVersionKind, KubeObject, ObjectSchema, ResourceInfo, TablePrinter } from '@coracle/apimachinery';
import type { MaybePromise } from '@coracle/base';
import type { Conversion } from './conversion/conversion.js';
import type { SpecInterner } from './registry/interning/spec-interner.js';
import type { Strategy } from './registry/strategy.js';
import type { ResourceStorage } from './watching/resource-storage.js';

/**
 * A resource as it is stored. All its versions share it: a write in any of them passes through this one, but for custom
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
  /** As clients see it, by `apiVersion`. Filled by the table of resources. */
  readonly versions: Map<string, ServedResource>;
  /** Built-in types leave out kind and apiVersion in the items of a list; custom ones do not. */
  readonly bareItems: boolean;
  /** Of a resource whose objects may be stored in another version than this one. */
  readonly conversion?: Conversion;
  /** Of a resource that is written in this version and stored in another: what is put into the store. */
  readonly toStorage?: (object: KubeObject) => MaybePromise<KubeObject>;
  /** Resolves when what the server itself does about a new object is done. */
  settled?: () => Promise<void>;
}

/** Reads what objects can be selected by. */
export type SelectableFields = Readonly<Record<string, (object: KubeObject) => string>>;

/** A resource as clients see it in one version. */
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
  /** What its objects can be selected by in this version; as in the stored one unless stated. */
  readonly selectableFields?: SelectableFields;
  /** How objects of this version are shown; that of the built-in kind unless stated. */
  readonly printer?: TablePrinter;
  /** Of a custom resource: changes with its CRD. */
  readonly revision?: string;
  /** Of a custom resource: reads its schema as in its CRD. */
  readonly jsonSchema?: () => Readonly<Record<string, unknown>>;
  /** The paths of the scale subresource of a custom resource. */
  readonly scalePaths?: apiextensionsv1.CustomResourceSubresourceScale;
  /** Served already, though discovery does not list it yet: a CRD that is not established. */
  readonly isUndiscovered?: boolean;
  /** The warning for clients that use it. */
  readonly deprecation?: string;
}

/** A cache and not state. */
const unconverted = new WeakMap<ServedResource, ServedResource>();

/** The resource for objects that are in its version already. What it makes on first use is not made for that. */
export function withoutConversion(resource: ServedResource): ServedResource {
  let direct = unconverted.get(resource);
  if (!direct) {
    direct = Object.create(resource, { conversion: { value: undefined } }) as ServedResource;
    unconverted.set(resource, direct);
  }
  return direct;
}
