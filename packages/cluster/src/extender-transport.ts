import type { Connection, Transport } from '@coracle/client';
import type { ExtenderConfiguration, ExtenderTransport } from '@coracle/control-plane';
import { createHttpTransport } from '@coracle/platform-nodejs';

/** Reaches extenders over HTTP and HTTPS. Disposing it closes the connections. */
export function openExtenderTransport(): { readonly transport: ExtenderTransport } & AsyncDisposable {
  const opened: Promise<Transport & Disposable>[] = [];
  return {
    transport: (extender) => {
      let connected: Promise<Transport & Disposable> | undefined;
      return async (request) => {
        if (!connected) {
          // A pod that waits is tried again anyway.
          connected = createHttpTransport({ connection: connectionTo(extender), maxRetries: 0 });
          opened.push(connected);
        }
        return (await connected).exchange(request);
      };
    },
    async [Symbol.asyncDispose]() {
      for (const outcome of await Promise.allSettled(opened))
        if (outcome.status === 'fulfilled') outcome.value[Symbol.dispose]();
    },
  };
}

/** Requests name the whole path, so only the host counts here. */
function connectionTo({ urlPrefix, enableHTTPS, tlsConfig = {} }: ExtenderConfiguration): Connection {
  const { insecure, serverName } = tlsConfig;
  const certificateAuthority = materialOf(tlsConfig.caData, tlsConfig.caFile);
  const clientCertificate = materialOf(tlsConfig.certData, tlsConfig.certFile);
  const clientKey = materialOf(tlsConfig.keyData, tlsConfig.keyFile);
  return {
    server: new URL(urlPrefix).origin,
    namespace: 'default',
    credentials: { ...(clientCertificate && { clientCertificate }), ...(clientKey && { clientKey }) },
    ...(certificateAuthority && { certificateAuthority }),
    ...((insecure || (enableHTTPS && !certificateAuthority)) && { insecureSkipTlsVerify: true }),
    ...(serverName && { tlsServerName: serverName }),
  };
}

/** What is written in the configuration itself counts before files. */
function materialOf(data: string | undefined, file: string | undefined): Connection['certificateAuthority'] {
  if (data) return { data: Buffer.from(data, 'base64').toString('utf8') };
  return file ? { file } : undefined;
}
