import type { Service } from '@coracle/api';
import type { Strategy } from '../strategy.js';
import {
  checkIpFamilies,
  dropUnusedFields,
  type IpFamily,
  keepAllocatedValues,
  matchClusterIps,
  setIpFamilies,
} from './service-allocation.js';

/** What is pure in a service's life. Addresses and ports are taken by whoever adds `reserve`. */
export function serviceStrategy(clusterFamilies: readonly IpFamily[] = ['IPv4']): Strategy<Service> {
  return {
    allowCreateOnUpdate: true,

    prepareForCreate(service) {
      service.status = { loadBalancer: {} };
      matchClusterIps(service, undefined);
      setIpFamilies(service, clusterFamilies);
    },

    prepareForUpdate(service, previous) {
      service.status = previous.status ?? { loadBalancer: {} };
      keepAllocatedValues(service, previous);
      matchClusterIps(service, previous);
      dropUnusedFields(service, previous);
      setIpFamilies(service, clusterFamilies);
    },

    validateCreate: (service) => checkIpFamilies(service, clusterFamilies),
    validateUpdate: (service) => checkIpFamilies(service, clusterFamilies),

    selectableFields: {
      'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
      'spec.type': ({ spec }) => spec?.type ?? '',
    },
  };
}
