import { formatHumanDuration, type TablePrinter } from '@coracle/apimachinery';
import { formatLabels, none } from '../../columns/cell-text.js';
import { age, name, tablePrinter, text } from '../../columns/table-printer.js';
import type { CertificateSigningRequest } from '../../generated/types/certificates-v1.js';
import type { ClusterTrustBundle, PodCertificateRequest } from '../../generated/types/certificates-v1beta1.js';

const certificateSigningRequestPrinter = tablePrinter<CertificateSigningRequest>([
  name,
  age,
  text('SignerName', 'Who is asked to sign.', ({ spec }) => spec.signerName || none),
  text('Requestor', 'Who asks.', ({ spec }) => spec.username ?? ''),
  text('RequestedDuration', 'How long the certificate should last.', ({ spec: { expirationSeconds } }) =>
    expirationSeconds === undefined ? none : formatHumanDuration(expirationSeconds * 1000),
  ),
  text('Condition', 'What was decided, and whether there is a certificate.', conditionWords),
]);

/** `Approved,Issued`. A condition counts by being there. */
function conditionWords({ status }: CertificateSigningRequest): string {
  const has = (type: string) => status?.conditions?.some((condition) => condition.type === type) ?? false;
  const decision = has('Denied') ? 'Denied' : has('Approved') ? 'Approved' : 'Pending';
  return `${decision}${has('Failed') ? ',Failed' : ''}${status?.certificate ? ',Issued' : ''}`;
}

const clusterTrustBundlePrinter = tablePrinter<ClusterTrustBundle>([
  name,
  text('SignerName', 'Whose certificates it lets trust.', ({ spec }) => spec.signerName || none),
]);

const outcomes: ReadonlySet<string> = new Set(['Issued', 'Denied', 'Failed']);

const podCertificateRequestPrinter = tablePrinter<PodCertificateRequest>([
  name,
  text('PodName', 'The pod.', ({ spec }) => spec.podName),
  text('ServiceAccountName', 'The service account of the pod.', ({ spec }) => spec.serviceAccountName),
  text('NodeName', 'The node of the pod.', ({ spec }) => spec.nodeName),
  text('SignerName', 'Who is asked to sign.', ({ spec }) => spec.signerName),
  text(
    'State',
    'What became of it.',
    ({ status }) => status?.conditions?.findLast(({ type }) => outcomes.has(type))?.type ?? 'Pending',
  ),
  text('UnverifiedUserAnnotations', 'What the pod says for the signer.', ({ spec }) =>
    formatLabels(spec.unverifiedUserAnnotations),
  ),
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  CertificateSigningRequest: certificateSigningRequestPrinter,
  ClusterTrustBundle: clusterTrustBundlePrinter,
  PodCertificateRequest: podCertificateRequestPrinter,
};
