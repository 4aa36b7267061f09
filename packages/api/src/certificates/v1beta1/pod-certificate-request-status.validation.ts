import {
  byteLength,
  type FieldError,
  FieldPath,
  invalidField,
  parseTime,
  requiredField,
  tooLongField,
} from '@coracle/apimachinery';
import { deepEqual, type Millis } from '@coracle/base';
import type { PodCertificateRequest, PodCertificateRequestStatus } from '../../generated/types/certificates-v1beta1.js';
import { checkConditions } from '../../validation/conditions.js';
import { checkSupported } from '../../validation/field-checks.js';
import { pemBlocks } from '../v1/pem-blocks.js';
import { type CertificateFacts, certificateFacts } from '../v1/read-certificate.js';
import { keyOf } from './pod-certificate-request.validation.js';

const statusPath = FieldPath.of('status');
const chainPath = statusPath.child('certificateChain');
const decisions = ['Issued', 'Denied', 'Failed'];
const maxChainBytes = 100 * 1024;
const minuteMs: Millis = 60_000;
const shortestMs: Millis = 60 * minuteMs;

/** A signer decides once: it issues a certificate for the key, denies the request, or fails. */
export function validatePodCertificateRequestStatus(
  { spec, status = {} }: PodCertificateRequest,
  { status: before = {} }: PodCertificateRequest,
  now: Millis,
): FieldError[] {
  const wrong = checkDecisions(status);
  if (wrong.length > 0) return wrong;
  const refuse = (detail: string) => [invalidField(statusPath, '<value omitted>', detail)];
  const isSame = deepEqual(withoutNothing(status), withoutNothing(before));
  if ((before.conditions ?? []).length > 0)
    return isSame ? [] : refuse('immutable after PodCertificateRequest is issued, denied, or failed');
  const decision = status.conditions?.[0]?.type;
  if (decision === undefined)
    return isSame ? [] : refuse('status is immutable unless transitioning to "Issued", "Denied", or "Failed"');
  if (decision === 'Issued') return checkIssued(spec, status, now);
  const { conditions: _conditions, ...others } = withoutNothing(status);
  return Object.keys(others).length === 0
    ? []
    : refuse('non-condition status fields must be empty when denying or failing the PodCertificateRequest');
}

function withoutNothing({ conditions = [], ...rest }: PodCertificateRequestStatus): PodCertificateRequestStatus {
  return conditions.length > 0 ? { ...rest, conditions } : rest;
}

function checkDecisions({ conditions = [] }: PodCertificateRequestStatus): FieldError[] {
  const path = statusPath.child('conditions');
  const several = 'There may be at most one condition with type "Issued", "Denied", or "Failed"';
  return [
    ...checkConditions(path, conditions),
    ...conditions.flatMap(({ type, status }, index) => [
      ...checkSupported(path.index(index).child('type'), type, decisions),
      ...checkSupported(path.index(index).child('status'), status, ['True']),
      ...(index > 0 ? [invalidField(path.index(index).child('type'), type, several)] : []),
    ]),
  ];
}

function checkIssued(
  spec: PodCertificateRequest['spec'],
  status: PodCertificateRequestStatus,
  now: Millis,
): FieldError[] {
  const chain = status.certificateChain ?? '';
  if (byteLength(chain) > maxChainBytes) return [tooLongField(chainPath, maxChainBytes)];
  const refuse = (detail: string) => [invalidField(chainPath, '<value omitted>', detail)];
  const certificates = pemBlocks(chain).map(({ type, content }) =>
    type === 'CERTIFICATE' ? certificateFacts(content) : undefined,
  );
  const [leaf] = certificates;
  if (!leaf || certificates.includes(undefined))
    return refuse('issued certificate chain must consist of one or more valid CERTIFICATE PEM blocks');
  if (!deepEqual([...leaf.publicKey.content], [...(keyOf(spec)?.content ?? [])]))
    return refuse('leaf certificate was not issued to the requested public key');
  return [...checkTimes(status, leaf, now), ...checkLifetime(leaf, spec.maxExpirationSeconds ?? 0)];
}

function checkTimes(status: PodCertificateRequestStatus, leaf: CertificateFacts, now: Millis): FieldError[] {
  const [notBefore, notAfter, refresh] = [status.notBefore, status.notAfter, status.beginRefreshAt].map((time) =>
    time === undefined || time === null ? undefined : parseTime(time),
  );
  const refuse = (field: keyof PodCertificateRequestStatus, detail: string) =>
    invalidField(statusPath.child(field), status[field], detail);
  const absent = 'must be present and consistent with the issued certificate';
  if (notBefore === undefined) return [requiredField(statusPath.child('notBefore'), absent)];
  if (notAfter === undefined) return [requiredField(statusPath.child('notAfter'), absent)];
  if (refresh === undefined) return [requiredField(statusPath.child('beginRefreshAt'), absent)];
  const rules: readonly (readonly [boolean, keyof PodCertificateRequestStatus, string])[] = [
    [notBefore === leaf.notBefore, 'notBefore', 'must be set to the NotBefore time encoded in the leaf certificate'],
    [
      Math.abs(notBefore - now) < 5 * minuteMs,
      'notBefore',
      "must be set to within 5 minutes of kube-apiserver's current time",
    ],
    [notAfter === leaf.notAfter, 'notAfter', 'must be set to the NotAfter time encoded in the leaf certificate'],
    [refresh >= notBefore + 10 * minuteMs, 'beginRefreshAt', 'must be at least 10 minutes after status.notBefore'],
    [refresh <= notAfter - 10 * minuteMs, 'beginRefreshAt', 'must be at least 10 minutes before status.notAfter'],
  ];
  return rules.filter(([holds]) => !holds).map(([, field, detail]) => refuse(field, detail));
}

function checkLifetime({ notBefore, notAfter }: CertificateFacts, maxSeconds: number): FieldError[] {
  const lifetime = notAfter - notBefore;
  const refuse = (detail: string) => [invalidField(chainPath, `${lifetime / 1000}s`, detail)];
  if (lifetime < shortestMs) return refuse('leaf certificate lifetime must be >= 1 hour');
  if (lifetime <= maxSeconds * 1000) return [];
  return refuse(`leaf certificate lifetime must be <= spec.maxExpirationSeconds (${maxSeconds})`);
}
