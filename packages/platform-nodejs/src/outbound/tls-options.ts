import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity, rootCertificates } from 'node:tls';
import type { DialAddress } from '@coracle/apiserver';

interface AddressTls extends Pick<ConnectionOptions, 'ca' | 'cert' | 'key' | 'checkServerIdentity'> {
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** TLS options of an address. */
export function tlsOptions({ host, serverName, tls = {} }: DialAddress): AddressTls {
  const name = serverName ?? host;
  const { caBundle, insecureSkipVerify, clientCertificate, clientKey } = tls;
  return {
    ...(isIP(name) === 0 && { servername: name }),
    ...(caBundle !== undefined && caBundle !== '' ? { ca: caBundle } : { ca: [...rootCertificates] }),
    ...(insecureSkipVerify && { rejectUnauthorized: false }),
    ...(clientCertificate && { cert: clientCertificate }),
    ...(clientKey && { key: clientKey }),
    // Verifies the requested name, whatever the address is.
    checkServerIdentity: (_host, certificate) => checkServerIdentity(name, certificate),
  };
}
