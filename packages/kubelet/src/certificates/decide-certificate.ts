import { type certificatesv1beta1, pemBlocks } from '@coracle/api';
import { parseTime, toBase64 } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

type PodCertificateRequest = certificatesv1beta1.PodCertificateRequest;

/** A certificate chain with its key, as containers see them. */
export interface Credentials {
  /** PEM. */
  readonly key: string;
  readonly chain: string;
  readonly refreshAt: Millis;
  readonly notAfter: Millis;
}

/** A pending certificate request. */
export interface PendingRequest {
  readonly name: string;
  /** PEM. */
  readonly key: string;
  /** If the watch has not delivered it by then, it has been deleted. */
  readonly abandonAt: Millis;
}

/** The progress of the certificate of one projection. */
export interface CertificateProgress {
  readonly current?: Credentials | undefined;
  readonly pending?: PendingRequest | undefined;
  readonly isOverdue?: boolean;
  readonly isExpired?: boolean;
}

export type CertificateAction =
  | { readonly do: 'request' }
  | { readonly do: 'wait' }
  | { readonly do: 'abandon' }
  | { readonly do: 'take'; readonly credentials: Omit<Credentials, 'key'> }
  | {
      readonly do: 'refuse';
      readonly type: 'Denied' | 'Failed';
      readonly reason: string;
      readonly message: string;
    };

const overdueMs: Millis = 10 * 60_000;

/** The next action, given the pending request in the API, if there is one. */
export function decideCertificate(
  { current, pending }: CertificateProgress,
  request: PodCertificateRequest | undefined,
  now: Millis,
): CertificateAction {
  if (!pending) return !current || now >= current.refreshAt ? { do: 'request' } : { do: 'wait' };
  if (!request) return { do: now > pending.abandonAt ? 'abandon' : 'wait' };
  const { conditions = [], certificateChain = '', beginRefreshAt, notAfter } = request.status ?? {};
  for (const { type, reason, message } of conditions) {
    if (type === 'Denied' || type === 'Failed') return { do: 'refuse', type, reason, message };
    if (type !== 'Issued') continue;
    const times = { refreshAt: parseTime(beginRefreshAt ?? '') ?? now, notAfter: parseTime(notAfter ?? '') ?? now };
    return { do: 'take', credentials: { chain: cleanChain(certificateChain), ...times } };
  }
  return { do: 'wait' };
}

/** Events about a certificate that was not renewed in time, each once. */
export function certificateWarnings(
  { current, isOverdue, isExpired }: CertificateProgress,
  now: Millis,
): { readonly overdue: boolean; readonly expired: boolean } {
  return {
    overdue: current !== undefined && !isOverdue && now > current.refreshAt + overdueMs,
    expired: current !== undefined && !isExpired && now > current.notAfter,
  };
}

/** Only the certificates: no text between them, no headers. */
function cleanChain(chain: string): string {
  return pemBlocks(chain)
    .map(({ content }) => {
      const lines = toBase64(content).match(/.{1,64}/g) ?? [];
      return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
    })
    .join('');
}
