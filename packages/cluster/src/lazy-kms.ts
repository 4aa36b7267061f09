import type { KmsConnection } from '@coracle/platform-nodejs';

/** A KMS plugin that is connected on first use: gRPC is loaded only if one is configured. */
export function lazyKms(options: { readonly endpoint: string; readonly timeoutMs: number }): KmsConnection {
  let opened: Promise<KmsConnection> | undefined;
  const open = () => {
    opened ??= import('./kms.js').then(({ connectKms }) => connectKms(options));
    return opened;
  };
  return {
    status: async () => (await open()).status(),
    encrypt: async (request) => (await open()).encrypt(request),
    decrypt: async (request) => (await open()).decrypt(request),
    [Symbol.dispose]: () => void opened?.then((connection) => connection[Symbol.dispose]()),
  };
}
