import type { certificatesv1 } from '@coracle/api';
import type { FieldSet } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { Strategy } from '../strategy.js';
import { checkSettled, keepDecision, stampConditions } from './certificate-conditions.js';

type CertificateSigningRequest = certificatesv1.CertificateSigningRequest;

/** Approvers decide by the requesting user, so the server sets it, and the request is immutable. */
export const certificateSigningRequestStrategy: Strategy<CertificateSigningRequest> = {
  prepareForCreate(request, { user }) {
    request.status = {};
    const { username: _name, uid: _uid, groups: _groups, extra: _extra, ...spec } = request.spec ?? {};
    request.spec = {
      ...spec,
      username: user.name,
      ...(user.uid && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: [...user.groups] }),
      ...(user.extra && { extra: copyExtra(user.extra) }),
    };
  },

  prepareForUpdate(request, previous) {
    request.spec = previous.spec;
    request.status = previous.status ?? {};
  },

  prepareForStatusUpdate(request, previous, { clock }) {
    request.spec = previous.spec;
    keepDecision(request, previous);
    stampConditions(request, previous, clock);
  },

  validateStatusUpdate: (request, previous) => checkSettled(request, previous, { mayDecide: false, mayIssue: true }),

  resetFields: (subresource) => ownValue(keptFields, subresource),

  selectableFields: { 'spec.signerName': ({ spec }) => spec.signerName ?? '' },
};

/** Fields of the server or of another subresource. Signers may add conditions, but do not own the list. */
const keptFields: Readonly<Record<string, FieldSet>> = {
  '': { 'f:spec': {}, 'f:status': {} },
  status: { 'f:spec': {}, 'f:status': { 'f:conditions': {} } },
  approval: { 'f:spec': {}, 'f:status': { 'f:certificate': {} } },
};

function copyExtra(extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
