import { dropFieldsOf, type GatedFields } from '../disabled-fields.js';

export const dropDisabledSliceFields = dropFieldsOf({
  DRAConsumableCapacity: ['spec.devices.allowMultipleAllocations', 'spec.devices.capacity.*.requestPolicy'],
  DRADeviceBindingConditions: under('spec.devices', ['bindsToNode', 'bindingConditions', 'bindingFailureConditions']),
  DRADeviceTaints: ['spec.devices.taints'],
  DRAListTypeAttributes: under('spec.devices.attributes.*', ['bools', 'ints', 'strings', 'versions']),
  DRANodeAllocatableResources: ['spec.devices.nodeAllocatableResourceMappings'],
  DRAPartitionableDevices: [
    'spec.sharedCounters',
    'spec.perDeviceNodeSelection',
    ...under('spec.devices', ['consumesCounters', 'nodeName', 'nodeSelector', 'allNodes']),
  ],
});

export const dropDisabledClassFields = dropFieldsOf({ DRAExtendedResource: ['spec.extendedResourceName'] });

const results = 'status.allocation.devices.results';

export const dropDisabledClaimFields = dropFieldsOf({
  ...claimFields('spec'),
  DRADeviceBindingConditions: [
    'status.allocation.allocationTimestamp',
    ...under(results, ['bindingConditions', 'bindingFailureConditions']),
  ],
  DRAResourceClaimDeviceStatus: ['status.devices'],
});

export const dropDisabledTemplateFields = dropFieldsOf(claimFields('spec.spec'));

/** Fields of a claim's spec; the paths of its status match nothing in a template. */
function claimFields(spec: string): GatedFields {
  const requests = `${spec}.devices.requests`;
  return {
    DRAConsumableCapacity: [
      `${spec}.devices.constraints.distinctAttribute`,
      ...under(requests, ['exactly.capacity', 'firstAvailable.capacity']),
      ...under(results, ['consumedCapacity', 'shareID']),
    ],
    DRADeviceTaints: [
      ...under(requests, ['exactly.tolerations', 'firstAvailable.tolerations']),
      `${results}.tolerations`,
    ],
    DRAPrioritizedList: [`${requests}.firstAvailable`],
  };
}

function under(parent: string, fields: readonly string[]): string[] {
  return fields.map((field) => `${parent}.${field}`);
}
