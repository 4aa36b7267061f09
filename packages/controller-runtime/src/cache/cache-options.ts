import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** Which objects of a resource are cached, and which of their fields. */
export interface CacheSelection {
  /** Only these namespaces; all unless stated. Cluster-wide resources do not care. */
  readonly namespaces?: readonly string[];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Removes fields that no controller reads, to save memory. It must return a new object and keep the identity of the
   * metadata.
   */
  readonly transform?: <T extends KubeObject>(object: T) => T;
}

/** Options of a cache, for all resources and for single ones. */
export interface CacheOptions extends CacheSelection {
  /** Options of single resources. */
  readonly resources?: readonly (CacheSelection & { readonly ref: ResourceRef<KubeObject> })[];
  /**
   * The resync period: how often controllers receive every object again, in case something outside the cluster has
   * changed. Ten hours unless stated, and for each controller up to a tenth more or less, so that they do not work in
   * step.
   */
  readonly syncPeriodMs?: Millis;
  /** Freezes cached objects, so that a change to a shared object throws. For tests: it costs time. */
  readonly deepFreeze?: boolean;
}

/** The selection for one resource: its own, over the general one. */
export function selectionFor(options: CacheOptions, ref: ResourceRef<KubeObject>): CacheSelection {
  const own = options.resources?.find((one) => one.ref.group === ref.group && one.ref.resource === ref.resource);
  const { namespaces, labelSelector, fieldSelector, transform } = options;
  const general = { namespaces, labelSelector, fieldSelector, transform };
  const { ref: _, ...special } = own ?? { ref };
  return definedOnly({ ...general, ...special });
}

/** Drops managed fields, which are half of a small object and rarely read. */
export function withoutManagedFields<T extends KubeObject>(object: T): T {
  if (!object.metadata.managedFields) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function definedOnly(
  selection: { readonly [Name in keyof CacheSelection]: CacheSelection[Name] | undefined },
): CacheSelection {
  return Object.fromEntries(Object.entries(selection).filter(([, value]) => value !== undefined));
}
