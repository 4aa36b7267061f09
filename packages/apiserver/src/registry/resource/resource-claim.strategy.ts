import type { resourcev1 } from '@coracle/api';
import { keepMetadata } from '../keep-metadata.js';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';
import { checkAdminAccess } from './admin-access.js';
import { dropDisabledClaimFields, dropDisabledTemplateFields } from './disabled-device-fields.js';

/** The spec of a claim is immutable, so admin access is authorized once. */
export const resourceClaimStrategy: Strategy<resourcev1.ResourceClaim> = {
  dropDisabled: dropDisabledClaimFields,
  canonicalize: nullEmptyLists('spec.devices.requests'),
  prepareForStatusUpdate(claim, previous) {
    claim.spec = previous.spec;
    keepMetadata(claim, previous);
  },
  validateCreate: ({ metadata, spec }, context) =>
    checkAdminAccess(spec?.devices ?? {}, metadata.namespace ?? '', context),
};

export const resourceClaimTemplateStrategy: Strategy<resourcev1.ResourceClaimTemplate> = {
  dropDisabled: dropDisabledTemplateFields,
  validateCreate: ({ metadata, spec }, context) =>
    checkAdminAccess(spec?.spec?.devices ?? {}, metadata.namespace ?? '', context),
};
