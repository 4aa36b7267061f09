import { certificateFacts, type certificatesv1, pemBlocks } from '@coracle/api';
import { fromBase64, parseTime } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

type Request = certificatesv1.CertificateSigningRequest;

export function hasCondition({ status }: Request, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type) ?? false;
}

export function isIssued({ status }: Request): boolean {
  return (status?.certificate ?? '') !== '';
}

const hourMs: Millis = 60 * 60_000;
const pendingMs: Millis = 24 * hourMs;

/**
 * Whether the request can be deleted: an hour after it was decided, or a day after it was created or approved; and when
 * the certificate has expired.
 */
export function isStale(request: Request, now: Millis): boolean {
  const { metadata, status } = request;
  const isOlder = (time: string | undefined, age: Millis) => now - (parseTime(time ?? '') ?? now) > age;
  const conditions = status?.conditions ?? [];
  if (conditions.length === 0) return isOlder(metadata.creationTimestamp, pendingMs);
  return conditions.some(({ type, lastUpdateTime }) => {
    if (type === 'Denied' || type === 'Failed') return isOlder(lastUpdateTime, hourMs);
    if (type !== 'Approved') return false;
    return isOlder(lastUpdateTime, isIssued(request) ? hourMs : pendingMs) || isExpired(request, now);
  });
}

function isExpired({ status }: Request, now: Millis): boolean {
  const pem = fromBase64(status?.certificate ?? '');
  const [first] = pem ? pemBlocks(new TextDecoder().decode(pem)) : [];
  const facts = first && certificateFacts(first.content);
  return facts !== undefined && now > facts.notAfter;
}
