import type { KubeObject } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import type { ScopedResourceSelectorRequirement } from '../../../generated/types/core-v1.js';
import type { ResourceAmounts } from '../pod-resources.js';

/** Computes the usage of objects of one resource for quotas. Pure: admission plugin and controller use it. */
export interface QuotaEvaluator<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly resource: string;
  /** Whether objects of this resource can be charged under that name. */
  counts(name: string): boolean;
  usage(object: T, now: Millis): ResourceAmounts;
  matchesScope(scope: ScopedResourceSelectorRequirement, object: T): boolean;
  /** Fields that the object must set because of quotas for some of these names. */
  missing?(names: readonly string[], object: T): string | undefined;
  /** Whether a change is charged. Creations always are; without this, changes never. */
  chargesUpdate?(object: T, previous: T, subresource: string): boolean;
  /** Whether a change may have freed something, so that it is time to count again. */
  frees?(object: T, previous: T, now: Millis): boolean;
}
