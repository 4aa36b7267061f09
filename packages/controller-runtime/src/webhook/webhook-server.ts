import type { Exchange } from '@coracle/apimachinery';
import { text } from '../health-checks.js';

/**
 * Paths and their webhooks. A function from a request to a response: sockets and certificates belong to the platform.
 */
export class WebhookServer {
  readonly #handlers = new Map<string, Exchange>();

  /** One handler a path. */
  register(path: string, handler: Exchange): void {
    if (this.#handlers.has(path)) throw new Error(`can't register duplicate path: ${path}`);
    this.#handlers.set(path, handler);
  }

  readonly exchange: Exchange = async (request) => {
    const handler = this.#handlers.get(request.path);
    return handler ? handler(request) : text(404, '404 page not found\n');
  };
}
