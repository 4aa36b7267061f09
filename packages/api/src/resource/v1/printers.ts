import { findCondition, formatAge, type TablePrinter } from '@coracle/apimachinery';
import { none } from '../../columns/cell-text.js';
import { age, integer, name, tablePrinter, text, timed } from '../../columns/table-printer.js';
import type { ResourceClaim, ResourceSlice } from '../../generated/types/resource-v1.js';
import type { PoolStatus, ResourcePoolStatusRequest } from '../../generated/types/resource-v1alpha3.js';
import type { DeviceTaintRule } from '../../generated/types/resource-v1beta2.js';

const resourceClaimPrinter = tablePrinter<ResourceClaim>([
  name,
  text('State', 'Whether devices are allocated and in use.', ({ metadata, status }) => {
    const states = metadata.deletionTimestamp ? ['deleted'] : [];
    if (!status?.allocation) return states[0] ?? 'pending';
    return [...states, 'allocated', ...(status.reservedFor?.length ? ['reserved'] : [])].join(',');
  }),
  age,
]);

const resourceSlicePrinter = tablePrinter<ResourceSlice>([
  name,
  text('Node', 'The node that has the devices.', ({ spec }) => spec.nodeName ?? ''),
  text('Driver', 'The driver that offers them.', ({ spec }) => spec.driver),
  text('Pool', 'The pool that they belong to.', ({ spec }) => spec.pool.name),
  age,
]);

const deviceTaintRulePrinter = tablePrinter<DeviceTaintRule>([
  name,
  text('Key', 'The key of the taint.', ({ spec }) => spec.taint.key),
  text('Value', 'Its value.', ({ spec }) => spec.taint.value ?? ''),
  text('Effect', 'What it does.', ({ spec }) => spec.taint.effect),
  timed('TimeAdded', 'The time since it holds.', ({ spec: { taint } }, now) =>
    taint.timeAdded ? formatAge(taint.timeAdded, now) : '',
  ),
  age,
]);

type Count = 'totalDevices' | 'availableDevices' | 'allocatedDevices' | 'unavailableDevices';

const poolStatusPrinter = tablePrinter<ResourcePoolStatusRequest>([
  name,
  text('Driver', 'The driver that is asked about.', ({ spec }) => spec.driver),
  text('Total', 'All devices of its pools.', (request) => sum(request, 'totalDevices')),
  text('Available', 'Those that are free.', (request) => sum(request, 'availableDevices')),
  text('Allocated', 'Those that are allocated.', (request) => sum(request, 'allocatedDevices')),
  text('Unavailable', 'Those that cannot be had.', (request) => sum(request, 'unavailableDevices')),
  text('Errors', 'The pools that are not as they should be.', ({ status }) =>
    status ? String((status.pools ?? []).filter(({ validationError }) => validationError).length) : none,
  ),
  integer('Pools', 'How many pools there are.', ({ status }) => status?.poolCount ?? 0),
  text('Status', 'Whether it is answered.', ({ status }) => {
    if (findCondition(status?.conditions, 'Failed')?.status === 'True') return 'Failed';
    return status ? 'Complete' : 'Pending';
  }),
  timed('Completed', 'The time since it was answered.', ({ status }, now) => {
    const complete = findCondition(status?.conditions, 'Complete');
    return complete ? formatAge(complete.lastTransitionTime, now) : none;
  }),
]);

function sum({ status }: ResourcePoolStatusRequest, count: Count): string {
  if (!status) return none;
  return String((status.pools ?? []).reduce((total: number, pool: PoolStatus) => total + (pool[count] ?? 0), 0));
}

const nameAndAge = tablePrinter([name, age]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  DeviceClass: nameAndAge,
  DeviceTaintRule: deviceTaintRulePrinter,
  ResourceClaim: resourceClaimPrinter,
  ResourceClaimTemplate: nameAndAge,
  ResourcePoolStatusRequest: poolStatusPrinter,
  ResourceSlice: resourceSlicePrinter,
};
