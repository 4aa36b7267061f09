import type { Secret } from '@coracle/api';
import { fromBase64 } from '@coracle/apimachinery';
import type { CertificatePair } from './routes/routing-table.js';

const begins = { certificate: '-----BEGIN CERTIFICATE-----', key: /-----BEGIN [A-Z ]*PRIVATE KEY-----/ };

/** The certificate in a secret of the type `kubernetes.io/tls`; `undefined` if there is none that can be read. */
export function certificateIn(secret: Secret | undefined): CertificatePair | undefined {
  const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => textIn(secret?.data?.[name]));
  if (!certificate?.includes(begins.certificate) || !key || !begins.key.test(key)) return undefined;
  return { certificate, key };
}

function textIn(data: string | undefined): string | undefined {
  const bytes = data === undefined ? undefined : fromBase64(data);
  return bytes && new TextDecoder().decode(bytes);
}
