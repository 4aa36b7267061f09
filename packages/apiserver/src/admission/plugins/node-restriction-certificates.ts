import { type certificatesv1, type certificatesv1beta1, readCertificateRequest, refs } from '@coracle/api';
import { unexplainedFailure } from '@coracle/apimachinery';
import type { AdmissionAttributes } from '../admission.js';
import { mirrorAnnotation, quoted, userPrefix } from './node-restriction-rules.js';
import type { RestrictionDependencies } from './node-restriction-tokens.js';

const kubeletSigners: readonly string[] = [
  'kubernetes.io/kubelet-serving',
  'kubernetes.io/kube-apiserver-client-kubelet',
];

/** A node may request certificates only for its own user name. */
export function certificateProblem(
  { operation, subresource, object }: AdmissionAttributes,
  nodeName: string,
): string | undefined {
  const { spec } = (object ?? {}) as Partial<certificatesv1.CertificateSigningRequest>;
  if (operation !== 'CREATE' || subresource !== '' || !kubeletSigners.includes(spec?.signerName ?? ''))
    return undefined;
  const request = readCertificateRequest(spec?.request);
  if (!request) return 'unable to parse csr: asn1: syntax error: data truncated';
  return request.commonName === `${userPrefix}${nodeName}`
    ? undefined
    : `can only create a node CSR with CN=${userPrefix}${nodeName}`;
}

/**
 * A node may request a certificate for a pod that it runs, with the service account of that pod. A check that stale
 * caches may cause to fail is an error that is retried; other failures are rejections.
 */
export function podCertificateProblem(
  { operation, subresource, object, namespace }: AdmissionAttributes,
  nodeName: string,
  { objects }: RestrictionDependencies,
): string | undefined {
  if (operation !== 'CREATE') return 'unexpected operation';
  if (subresource !== '') return `unexpected subresource ${subresource}`;
  const { spec } = object as certificatesv1beta1.PodCertificateRequest;
  const named = quoted(`${namespace}/${spec.podName}`);
  const about = `PodCertificateRequest for pod ${named}`;
  if (spec.nodeName !== nodeName)
    return `PodCertificateRequest.Spec.NodeName=${quoted(spec.nodeName)}, which is not the requesting node ${quoted(nodeName)}`;
  const nodeUid = objects.get(refs.nodes, '', nodeName)?.metadata.uid;
  if (nodeUid !== spec.nodeUID)
    throw unexplainedFailure(
      `${about} names node UID ${quoted(spec.nodeUID)}, inconsistent with the running node (${quoted(nodeUid)})`,
    );
  const pod = objects.get(refs.pods, namespace, spec.podName);
  if (pod?.metadata.uid !== spec.podUID)
    throw unexplainedFailure(
      `${about} contains pod UID (${quoted(spec.podUID)}) which differs from running pod ${quoted(pod?.metadata.uid)}`,
    );
  if (pod.spec?.nodeName !== nodeName)
    return `pod ${named} is not running on node ${quoted(nodeName)} named in the PodCertificateRequest`;
  if (pod.metadata.annotations?.[mirrorAnnotation] !== undefined) return `pod ${named} is a mirror pod`;
  if (pod.spec.serviceAccountName !== spec.serviceAccountName)
    return `${about} contains serviceAccountName (${quoted(spec.serviceAccountName)}) that differs from running pod (${quoted(pod.spec.serviceAccountName)})`;
  const accountUid = objects.get(refs.serviceAccounts, namespace, spec.serviceAccountName)?.metadata.uid;
  if (accountUid === spec.serviceAccountUID) return undefined;
  throw unexplainedFailure(
    `${about} names service account UID ${quoted(spec.serviceAccountUID)}, which differs from the running service account (${quoted(accountUid)})`,
  );
}
