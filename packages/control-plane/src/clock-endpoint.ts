import { badRequest, parseDuration } from '@coracle/apimachinery';
import type { Handler } from '@coracle/apiserver';
import { type Clock, type Logger, VirtualClock } from '@coracle/base';

/**
 * `/debug/coracle/clock`: the time of the cluster, and whether it can be advanced. `POST ?advance=10m` advances a
 * virtual clock; the response does not wait, because time advances after the request.
 */
export function clockEndpoints({ clock, logger }: { readonly clock: Clock; readonly logger: Logger }) {
  const endpoint: Handler = async ({ request, query }) => {
    const isVirtual = clock instanceof VirtualClock;
    if (request.method === 'POST') {
      const span = parseDuration(query.get('advance') ?? '');
      if (!isVirtual) throw badRequest('this cluster runs on real time, which cannot be advanced');
      if (span === undefined || span < 0) throw badRequest('advance must be a duration, such as 10m');
      void clock.advance(span).catch((error: unknown) => logger.error('failed to advance the clock', { error }));
    }
    const text = JSON.stringify({ now: clock.now(), isVirtual });
    return {
      status: 200,
      headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
      body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
    };
  };
  return { '/debug/coracle/clock': endpoint };
}
