import type { ApiResponse, Exchange } from '@coracle/apimachinery';
import { type Clock, sleep } from '@coracle/base';
import { retryAfterSeconds } from './failure-of-response.js';

/** Maximum number of retries. */
export interface RetryingOptions {
  readonly clock: Clock;
  readonly maxRetries?: number;
  /** Whether a request without a response may be repeated: its connection was lost before it had an effect. */
  readonly isCutConnection?: (error: unknown) => boolean;
}

/**
 * Retries a request on response of the server: 429, or 5xx with `Retry-After`. A read whose connection was lost is sent
 * again too, after a second; a write is not, because it may have been executed.
 */
export function retrying(exchange: Exchange, options: RetryingOptions): Exchange {
  const { clock, maxRetries = 10, isCutConnection = () => false } = options;
  return async (request) => {
    for (let left = maxRetries; ; left--) {
      const outcome = await exchange(request).catch((error: unknown) => {
        if (left > 0 && request.method === 'GET' && isCutConnection(error)) return 'cut' as const;
        throw error;
      });
      const waitSeconds = outcome === 'cut' ? 1 : left > 0 ? retryAfter(outcome) : undefined;
      if (waitSeconds === undefined) return outcome as ApiResponse;
      await sleep(clock, waitSeconds * 1000, request.signal);
    }
  };
}

function retryAfter({ status, headers }: ApiResponse): number | undefined {
  return status === 429 || status >= 500 ? retryAfterSeconds(headers) : undefined;
}
