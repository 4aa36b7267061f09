import { ownValue } from '@coracle/base';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { ResourceQuota } from '../../generated/types/core-v1.js';

export const resourceQuotaPrinter = tablePrinter<ResourceQuota>([
  name,
  text('Request', 'What is used of what may be asked for.', (quota) => usage(quota, (resource) => !isLimit(resource))),
  text('Limit', 'What is used of the limits.', (quota) => usage(quota, isLimit)),
  age,
]);

function isLimit(resource: string): boolean {
  return resource.startsWith('limits.');
}

/** `configmaps: 1/3, pods: 0/10` */
function usage({ status }: ResourceQuota, isWanted: (resource: string) => boolean): string {
  const hard = status?.hard ?? {};
  const resources = Object.keys(hard).filter(isWanted).sort();
  return resources
    .map((resource) => `${resource}: ${ownValue(status?.used ?? {}, resource) ?? '0'}/${hard[resource]}`)
    .join(', ');
}
