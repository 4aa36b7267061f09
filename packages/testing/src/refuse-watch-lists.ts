import type { ApiRequest, ApiResponse, Exchange } from '@coracle/apimachinery';

/** The error of servers that do not support `sendInitialEvents`. */
export type WatchListRefusal = 'ERROR event' | '400' | '405' | 'no bookmark';

export const watchListRefusals: readonly WatchListRefusal[] = ['ERROR event', '400', '405', 'no bookmark'];

/**
 * A server without watch lists: kube-apiserver on an older etcd sends an ERROR event, others reject the request, and
 * old ones start a watch without initial events.
 */
export function refuseWatchLists(exchange: Exchange, refusal: WatchListRefusal): Exchange {
  return async (request) => {
    const query = new URLSearchParams(request.query);
    if (query.get('sendInitialEvents') !== 'true') return await exchange(request);
    if (refusal === 'no bookmark') return await exchange(withoutInitialEvents(request, query));
    return refusals[refusal]();
  };
}

function withoutInitialEvents(request: ApiRequest, query: URLSearchParams): ApiRequest {
  query.delete('sendInitialEvents');
  query.delete('resourceVersionMatch');
  return { ...request, query: query.toString() };
}

const refusals: Readonly<Record<Exclude<WatchListRefusal, 'no bookmark'>, () => ApiResponse>> = {
  'ERROR event': () => {
    const object = failure(500, 'InternalError', 'the required storage feature RequestWatchProgress is disabled');
    const line = encode({ type: 'ERROR', object });
    const stream = {
      open: (sink: { write(chunk: Uint8Array): boolean; end(): void }) => {
        sink.write(line);
        sink.end();
      },
    };
    return { status: 200, headers: json, body: { kind: 'stream', stream } };
  },
  '400': () => refused(400, 'BadRequest'),
  '405': () => refused(405, 'MethodNotAllowed'),
};

const json = { 'content-type': 'application/json' };

function refused(code: number, reason: string): ApiResponse {
  const status = failure(code, reason, 'sendInitialEvents is not supported');
  return { status: code, headers: json, body: { kind: 'bytes', chunks: [encode(status)] } };
}

function failure(code: number, reason: string, message: string): object {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code };
}

function encode(value: object): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
}
