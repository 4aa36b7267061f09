import { type Clock, type Logger, type Millis, messageOf } from '@coracle/base';
import { healthExchange } from '@coracle/kubelet';
import { serveHttp } from '@coracle/platform-nodejs';

/** Address of a kubelet's health server over plain HTTP. */
export interface HealthServing {
  readonly host: string;
  readonly port: number;
}

/** That of upstream. */
export const usualHealthServing: HealthServing = Object.freeze({ host: '127.0.0.1', port: 10248 });

/** Delay before a port that is in use is tried again. */
const retryMs: Millis = 5_000;

/** Serves the health of a kubelet. A port that is in use does not stop the kubelet: it is logged once, and retried. */
export async function serveHealth(
  { host, port }: HealthServing,
  { clock, logger }: { readonly clock: Clock; readonly logger: Logger },
): Promise<AsyncDisposable> {
  let server: AsyncDisposable | undefined;
  let retrying: Disposable | undefined;
  let logged: string | undefined;
  let isStopped = false;
  let attempt = Promise.resolve();
  const listen = async () => {
    try {
      server = await serveHttp({ host, port })(healthExchange);
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== logged) logger.error('Failed to start healthz server', { host, port, error: problem });
      logged = problem;
      if (!isStopped) retrying = clock.schedule(retryMs, begin);
    }
  };
  const begin = () => {
    attempt = listen();
  };
  begin();
  await attempt;
  return {
    async [Symbol.asyncDispose]() {
      isStopped = true;
      retrying?.[Symbol.dispose]();
      await attempt;
      await server?.[Symbol.asyncDispose]();
    },
  };
}
