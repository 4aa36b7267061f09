import type { ApiRequest, ApiResponse, Exchange } from '@coracle/apimachinery';
import { textResponse } from '../streaming/refusal.js';

/** The health server of a kubelet: a response means that the kubelet runs. It checks nothing else. */
export const healthExchange: Exchange = async ({ path, query }: ApiRequest): Promise<ApiResponse> => {
  if (path === '/healthz' && new URLSearchParams(query).has('verbose'))
    return healthy('[+]ping ok\nhealthz check passed\n');
  if (path === '/healthz' || path === '/healthz/ping') return healthy('ok');
  return textResponse(404, '404 page not found\n');
};

function healthy(text: string): ApiResponse {
  return textResponse(200, text, { 'x-content-type-options': 'nosniff' });
}
