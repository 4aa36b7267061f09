import { type certificatesv1, readCertificateRequest, signers } from '@coracle/api';
import { forbidden } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Authorizer } from '../../authorization/authorizer.js';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.js';

type Request = certificatesv1.CertificateSigningRequest;

const privilegedGroup = 'system:masters';

interface SignerDependencies {
  readonly authorizer: Authorizer;
}

/** Only who may approve for a signer may decide on requests to it. */
export function certificateApproval({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: (attributes) => isUpdateOf(attributes, 'approval'),
    validate: (attributes) => requireVerb('approve', attributes, authorizer),
  };
}

/** Only who may sign for a signer may write certificates. */
export function certificateSigning({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: (attributes) => isUpdateOf(attributes, 'status'),
    validate(attributes) {
      const { status = {} } = attributes.object as Request;
      const { status: before = {} } = attributes.oldObject as Request;
      const same = status.certificate === before.certificate && deepEqual(status.conditions, before.conditions);
      if (!same) requireVerb('sign', attributes, authorizer);
    },
  };
}

/** Nobody becomes an administrator by a certificate that is asked for through the API. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: ({ operation, resource, subresource }) =>
    operation === 'CREATE' && isRequests(resource) && subresource === '',
  validate({ object, resource, name }) {
    const { spec } = object as Request;
    if (spec?.signerName !== signers.apiServerClient) return;
    const asked = readCertificateRequest(spec.request);
    if (!asked?.organizations.includes(privilegedGroup)) return;
    throw forbidden(
      resource,
      name,
      `use of ${signers.apiServerClient} signer with ${privilegedGroup} group is not allowed`,
    );
  },
};

function isRequests({ group, resource }: AdmissionAttributes['resource']): boolean {
  return group === 'certificates.k8s.io' && resource === 'certificatesigningrequests';
}

function isUpdateOf({ operation, resource, subresource }: AdmissionAttributes, wanted: string): boolean {
  return operation === 'UPDATE' && isRequests(resource) && subresource === wanted;
}

function requireVerb(verb: 'approve' | 'sign', attributes: AdmissionAttributes, authorizer: Authorizer): void {
  const { spec } = attributes.oldObject as Request;
  const signerName = spec.signerName ?? '';
  const [domain = ''] = signerName.split('/');
  const allowed = [signerName, `${domain}/*`].some((name) => {
    const access = { ...signerAccess, user: attributes.user, verb, name };
    return authorizer.authorize(access).kind === 'allow';
  });
  if (allowed) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`;
  throw forbidden(attributes.resource, attributes.name, why);
}

const signerAccess = {
  isResourceRequest: true,
  group: 'certificates.k8s.io',
  version: '*',
  resource: 'signers',
  subresource: '',
  namespace: '',
  path: '',
} as const;
