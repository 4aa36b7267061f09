import { type certificatesv1, rulesOf } from '@coracle/api';
import type { SubresourceHandler } from '../subresource.js';
import type { UpdateEndpoint } from '../update-object.js';
import { checkSettled, stampConditions } from './certificate-conditions.js';

type Request = certificatesv1.CertificateSigningRequest;

/** Changes only the conditions of a request. */
const endpoint: UpdateEndpoint<Request> = {
  prepare(request, previous, { clock }) {
    const conditions = request.status?.conditions;
    request.spec = previous.spec;
    request.status = { ...previous.status };
    if (conditions) request.status.conditions = conditions;
    else delete request.status.conditions;
    stampConditions(request, previous, clock);
  },
  validate: (request, previous) => [
    ...(rules.validateUpdate?.(request, previous) ?? []),
    ...checkSettled(request, previous, { mayDecide: true, mayIssue: false }),
  ],
};

const rules = rulesOf<Request>({ group: 'certificates.k8s.io', version: 'v1', kind: 'CertificateSigningRequest' });

/** `certificatesigningrequests/x/approval`, which `kubectl certificate approve` and `deny` use. */
export const certificateApproval: SubresourceHandler = { endpoint: () => endpoint as UpdateEndpoint };
