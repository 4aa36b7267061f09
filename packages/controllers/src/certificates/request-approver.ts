import { type certificatesv1, readCertificateRequest, refs, signerRefusal, signers } from '@coracle/api';
import { isNotFound } from '@coracle/apimachinery';
import type { Controller, ControllerContext } from '../controller.js';
import { hasCondition, isIssued } from './request-state.js';
import { runRequests } from './run-requests.js';

type Request = certificatesv1.CertificateSigningRequest;

/** The certificates that nodes may request, with the required permission and the approval message. */
interface Recognizer {
  readonly permission: string;
  readonly message: string;
  recognizes(request: Request, commonName: string): boolean;
}

const recognizers: readonly Recognizer[] = [
  {
    permission: 'selfnodeclient',
    message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
    recognizes: ({ spec }, commonName) => spec.username === commonName,
  },
  {
    permission: 'nodeclient',
    message: 'Auto approving kubelet client certificate after SubjectAccessReview.',
    recognizes: () => true,
  },
];

/** Approves certificate requests of kubelets, if the requesting user may have the certificate. */
export const requestApprover: Controller = {
  name: 'certificatesigningrequest-approving-controller',
  account: 'certificate-controller',
  start: (context) =>
    runRequests(context, {
      name: 'certificate_approving',
      isOurs: ({ spec }) => spec.signerName === signers.kubeletClient,
      settle: (request) => decide(request, context),
    }),
};

async function decide(request: Request, context: ControllerContext): Promise<void> {
  if (isIssued(request) || hasCondition(request, 'Approved') || hasCondition(request, 'Denied')) return;
  const { spec } = request;
  const certificate = readCertificateRequest(spec.request);
  if (!certificate || signerRefusal(spec.signerName, certificate, spec.usages ?? []) !== undefined) return;
  for (const recognizer of recognizers) {
    if (!recognizer.recognizes(request, certificate.commonName)) continue;
    if (await mayHave(request, recognizer.permission, context)) return approve(request, recognizer.message, context);
  }
}

async function mayHave({ spec }: Request, permission: string, { client }: ControllerContext): Promise<boolean> {
  const { username = '', uid, groups, extra } = spec;
  const review = await client.resource(refs.subjectAccessReviews).create({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: username,
      ...(uid !== undefined && { uid }),
      ...(groups && { groups }),
      ...(extra && { extra }),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        version: '*',
        subresource: permission,
      },
    },
  });
  return review.status?.allowed === true;
}

async function approve(request: Request, message: string, { client }: ControllerContext): Promise<void> {
  const approved = { type: 'Approved', status: 'True', reason: 'AutoApproved', message };
  const conditions = [...(request.status?.conditions ?? []), approved];
  await client
    .resource(refs.certificateSigningRequests)
    .updateSubresource(request.metadata.name ?? '', 'approval', {
      ...request,
      status: { ...request.status, conditions },
    })
    .catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
}
