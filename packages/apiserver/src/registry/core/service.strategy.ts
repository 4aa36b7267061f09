import type { Service } from '@coracle/api';
import type { Strategy, StrategyContext } from '../strategy.js';
import {
  checkIpFamilies,
  dropUnusedFields,
  type IpFamily,
  keepAllocatedValues,
  matchClusterIps,
  setIpFamilies,
} from './service-allocation.js';

const singleStack: readonly IpFamily[] = ['IPv4'];

function familiesOf({ serviceAllocator }: StrategyContext): readonly IpFamily[] {
  return serviceAllocator?.families ?? singleStack;
}

export const serviceStrategy: Strategy<Service> = {
  allowCreateOnUpdate: true,

  prepareForCreate(service, context) {
    service.status = { loadBalancer: {} };
    matchClusterIps(service, undefined);
    setIpFamilies(service, familiesOf(context));
  },

  prepareForUpdate(service, previous, context) {
    service.status = previous.status ?? { loadBalancer: {} };
    keepAllocatedValues(service, previous);
    matchClusterIps(service, previous);
    dropUnusedFields(service, previous);
    setIpFamilies(service, familiesOf(context));
  },

  validateCreate: (service, context) => checkIpFamilies(service, familiesOf(context)),
  validateUpdate: (service, _previous, context) => checkIpFamilies(service, familiesOf(context)),

  reserve: (service, previous, { serviceAllocator, dryRun }) => serviceAllocator?.reserve(service, previous, dryRun),
  afterDelete: (service, { serviceAllocator }) => serviceAllocator?.release(service),

  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec?.clusterIP ?? '',
    'spec.type': ({ spec }) => spec?.type ?? '',
  },
};
