import { type GroupResource, Quantity } from '@coracle/apimachinery';
import type { QuotaEvaluator } from './quota-evaluator.js';

/** Resources whose objects were counted before `count/…` was, under their plain names. */
const classicNames: ReadonlySet<string> = new Set([
  'configmaps',
  'secrets',
  'replicationcontrollers',
  'resourcequotas',
]);

export const one: Quantity = Quantity.of(1);

/** The name under which objects of any resource are counted. */
export function countName({ group, resource }: GroupResource): string {
  return group === '' ? `count/${resource}` : `count/${resource}.${group}`;
}

/** Counts objects: every resource has such a quota. */
export function countEvaluator({ group, resource }: GroupResource): QuotaEvaluator {
  const names = [countName({ group, resource })];
  if (group === '' && classicNames.has(resource)) names.push(resource);
  return {
    group,
    resource,
    counts: (name) => names.includes(name),
    usage: () => new Map(names.map((name) => [name, one])),
    matchesScope: () => false,
  };
}
