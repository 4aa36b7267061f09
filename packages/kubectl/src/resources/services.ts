import type { ResourceInfo } from '@coracle/apimachinery';

/** Services, which every server has: no discovery is needed to send one. */
export const services: ResourceInfo = {
  group: '',
  version: 'v1',
  resource: 'services',
  kind: 'Service',
  namespaced: true,
  singular: '',
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [],
};
