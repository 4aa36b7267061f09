import type { Service } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import type { AdmissionPlugin } from '../admission.js';

/** Rejects services that add external IPs. Existing ones may stay. */
export const denyServiceExternalIPs: AdmissionPlugin = {
  name: 'DenyServiceExternalIPs',
  handles: ({ operation, resource, subresource }) =>
    resource.group === '' &&
    resource.resource === 'services' &&
    subresource === '' &&
    (operation === 'CREATE' || operation === 'UPDATE'),
  validate({ resource, name, object, oldObject }) {
    const before = (oldObject as Service | undefined)?.spec?.externalIPs ?? [];
    const now = (object as Service).spec?.externalIPs ?? [];
    if (now.every((address) => before.includes(address))) return;
    throw forbidden(resource, name, 'Use of external IPs is denied by admission control.');
  },
};
