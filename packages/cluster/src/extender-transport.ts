import { readFile } from 'node:fs/promises';
import { addressOfUrl, type DialAddress, type OutboundTls, readBounded } from '@coracle/apiserver';
import type { ExtenderConfiguration, ExtenderTransport } from '@coracle/control-plane';
import { createDialer, systemClock } from '@coracle/platform-nodejs';

/** Longer than any extender may take: the scheduler itself times out before. */
const timeoutMs = 600_000;
const maxBytes = 64 * 1024 * 1024;

/** Reaches extenders over HTTP and HTTPS. Disposing it closes the connections. */
export function openExtenderTransport(): { readonly transport: ExtenderTransport } & Disposable {
  const dialer = createDialer();
  return {
    transport: (extender) => {
      let address: Promise<DialAddress> | undefined;
      return async (request) => {
        address ??= addressOf(extender);
        const to = await address;
        const { status, headers, bytes } = await readBounded((signal) => dialer.request(to, { ...request, signal }), {
          timeoutMs,
          maxBytes,
          clock: systemClock,
          ...(request.signal && { signal: request.signal }),
        });
        return { status, headers, body: { kind: 'bytes', chunks: [bytes] } };
      };
    },
    [Symbol.dispose]: () => dialer[Symbol.dispose](),
  };
}

/** Requests name the whole path, so only the host counts here. */
async function addressOf(extender: ExtenderConfiguration): Promise<DialAddress> {
  const address = addressOfUrl(new URL(extender.urlPrefix));
  const { serverName } = extender.tlsConfig ?? {};
  return {
    ...address,
    ...(serverName && { serverName }),
    ...(address.scheme === 'https' && { tls: await tlsOf(extender) }),
  };
}

async function tlsOf({ enableHTTPS, tlsConfig = {} }: ExtenderConfiguration): Promise<OutboundTls> {
  const caBundle = await materialOf(tlsConfig.caData, tlsConfig.caFile);
  const clientCertificate = await materialOf(tlsConfig.certData, tlsConfig.certFile);
  const clientKey = await materialOf(tlsConfig.keyData, tlsConfig.keyFile);
  return {
    ...(caBundle && { caBundle }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...((tlsConfig.insecure || (enableHTTPS && !caBundle)) && { insecureSkipVerify: true }),
  };
}

/** Inline data takes precedence over files. */
async function materialOf(data: string | undefined, file: string | undefined): Promise<string | undefined> {
  if (data) return Buffer.from(data, 'base64').toString('utf8');
  return file ? await readFile(file, 'utf8') : undefined;
}
