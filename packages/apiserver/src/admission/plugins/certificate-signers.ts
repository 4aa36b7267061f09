import { type certificatesv1, type certificatesv1beta1, readCertificateRequest, signers } from '@coracle/api';
import { forbidden, forbiddenField, invalid, type KubeObject } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type { Authorizer } from '../../authorization/authorizer.js';
import type { AdmissionAttributes, AdmissionPlugin, WriteKind } from '../admission.js';
import { isHousekeeping } from '../housekeeping.js';

type Request = certificatesv1.CertificateSigningRequest;

const privilegedGroup = 'system:masters';

interface SignerDependencies {
  readonly authorizer: Authorizer;
}

/** Only users who may `approve` for a signer may approve or deny its requests. */
export function certificateApproval({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'CertificateApproval',
    handles: (attributes) => isUpdateOf(attributes, 'approval'),
    validate: (attributes) => requireVerb('approve', attributes, authorizer),
  };
}

/** Only users who may `sign` for a signer may write certificates. */
export function certificateSigning({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'CertificateSigning',
    handles: (attributes) => isUpdateOf(attributes, 'status'),
    async validate(attributes) {
      const { status = {} } = attributes.object as Request;
      const { status: before = {} } = attributes.oldObject as Request;
      const same = status.certificate === before.certificate && deepEqual(status.conditions, before.conditions);
      if (!same) await requireVerb('sign', attributes, authorizer);
    },
  };
}

/** Only users who may `sign` for a signer issue certificates to pods; users who may write the status deny them. */
export function podCertificateSigning({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'PodCertificateSigning',
    handles: ({ operation, resource, subresource }) =>
      operation === 'UPDATE' &&
      resource.group === 'certificates.k8s.io' &&
      resource.resource === 'podcertificaterequests' &&
      subresource === 'status',
    async validate(attributes) {
      const { status = {} } = attributes.object as certificatesv1beta1.PodCertificateRequest;
      const { spec, status: before = {} } = attributes.oldObject as certificatesv1beta1.PodCertificateRequest;
      if (status.certificateChain === before.certificateChain) return;
      const { signerName } = spec;
      if (await mayFor({ verb: 'sign', signerName }, attributes, authorizer)) return;
      const user = JSON.stringify(attributes.user.name);
      const why = `User ${user} is not permitted to "sign" for signer ${JSON.stringify(signerName)}`;
      throw invalid(attributes.kind, attributes.name, [forbiddenField('spec.signerName', why)]);
    },
  };
}

/** Only users who may `attest` for a signer may set its trust bundle. */
export function clusterTrustBundleAttest({ authorizer }: SignerDependencies): AdmissionPlugin {
  return {
    name: 'ClusterTrustBundleAttest',
    handles: ({ operation, resource, subresource }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      resource.group === 'certificates.k8s.io' &&
      resource.resource === 'clustertrustbundles' &&
      subresource === '',
    async validate(attributes) {
      const { oldObject } = attributes;
      const bundle = attributes.object as KubeObject & { readonly spec?: { readonly signerName?: string } };
      if (oldObject && isHousekeeping(bundle, oldObject)) return;
      const signerName = bundle.spec?.signerName ?? '';
      if (signerName === '' || (await mayFor({ verb: 'attest', signerName }, attributes, authorizer))) return;
      const why = `user not permitted to attest for signerName ${JSON.stringify(signerName)}`;
      throw forbidden(attributes.resource, attributes.name, why);
    },
  };
}

/** No certificate requested through the API can be for the group `system:masters`. */
export const certificateSubjectRestriction: AdmissionPlugin = {
  name: 'CertificateSubjectRestriction',
  handles: ({ operation, resource, subresource }) =>
    operation === 'CREATE' && isRequests(resource) && subresource === '',
  validate({ object, resource, name }) {
    const { spec } = object as Request;
    if (spec?.signerName !== signers.apiServerClient) return;
    const certificate = readCertificateRequest(spec.request);
    if (!certificate?.organizations.includes(privilegedGroup)) return;
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

function isUpdateOf({ operation, resource, subresource }: WriteKind, name: string): boolean {
  return operation === 'UPDATE' && isRequests(resource) && subresource === name;
}

async function requireVerb(
  verb: 'approve' | 'sign',
  attributes: AdmissionAttributes,
  authorizer: Authorizer,
): Promise<void> {
  const { spec } = attributes.oldObject as Request;
  const signerName = spec.signerName ?? '';
  if (await mayFor({ verb, signerName }, attributes, authorizer)) return;
  const why = `user not permitted to ${verb} requests with signerName ${JSON.stringify(signerName)}`;
  throw forbidden(attributes.resource, attributes.name, why);
}

/** Rights are for one signer or for all of a domain. */
async function mayFor(
  { verb, signerName }: { readonly verb: string; readonly signerName: string },
  { user }: AdmissionAttributes,
  authorizer: Authorizer,
): Promise<boolean> {
  const [domain = ''] = signerName.split('/');
  for (const name of [signerName, `${domain}/*`]) {
    const { kind } = await authorizer.authorize({ ...signerAccess, user, verb, name });
    if (kind === 'allow') return true;
  }
  return false;
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
