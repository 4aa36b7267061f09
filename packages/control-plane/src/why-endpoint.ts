import { badRequest, serviceUnavailable } from '@coracle/apimachinery';
import type { Handler } from '@coracle/apiserver';
import type { Component } from './components.js';

/** `GET /debug/coracle/why?pod=default/web`: the scheduler's explanation for a pod. */
export function whyEndpoints(scheduler: () => Component | undefined): Readonly<Record<string, Handler>> {
  return {
    '/debug/coracle/why': async ({ query }) => {
      if (!query.get('pod')) throw badRequest('pod is required, such as default/web');
      const page = scheduler()?.debug('why', '/', query);
      if (!page) throw serviceUnavailable('no scheduler of this server knows the pod');
      return {
        status: 200,
        headers: { 'content-type': page.contentType, 'cache-control': 'no-cache, private' },
        body: { kind: 'bytes', chunks: [new TextEncoder().encode(page.text)] },
      };
    },
  };
}
