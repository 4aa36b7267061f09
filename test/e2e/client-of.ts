import { silentLogger } from '@coracle/base';
import { type Client, createClient } from '@coracle/client';
import { createHttpTransport, loadConnection } from '@coracle/platform-nodejs';

/** A client over real sockets, as the user that the kubeconfig says. */
export async function clientOf(kubeconfig: string): Promise<{ readonly client: Client } & AsyncDisposable> {
  const connection = await loadConnection({ path: kubeconfig });
  const transport = await createHttpTransport({ connection, logger: silentLogger, http2: true });
  const client = createClient({ transport, userAgent: 'coracle-test' });
  return { client, [Symbol.asyncDispose]: async () => transport[Symbol.dispose]() };
}
