import {
  type ApiRequest,
  type ApiResponse,
  type Exchange,
  tooManyRequests,
  type ValueSink,
} from '@coracle/apimachinery';
import { type Clock, type Random, randomInt, sleep } from '@coracle/base';

interface Link {
  cut(): void;
}

/**
 * Between a client and a server: slow, and apt to break.
 *
 * Every message of a connection arrives in order, after a delay of its own choosing; messages of different connections
 * overtake each other. A disconnect loses messages, or delays them until the client uses another connection, and the
 * server may detect it late. Requests may get lost, be refused, or be done without the answer ever arriving.
 */
export class VirtualNetwork {
  readonly #inner: Exchange;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #links = new Set<Link>();
  /** From 0 (a perfect network) to 1. */
  trouble = 0;
  maxDelayMs = 50;

  constructor(deps: { readonly exchange: Exchange; readonly clock: Clock; readonly random: Random }) {
    this.#inner = deps.exchange;
    this.#clock = deps.clock;
    this.#random = deps.random;
  }

  get connections(): number {
    return this.#links.size;
  }

  cutOne(): void {
    const links = [...this.#links];
    links[randomInt(this.#random, links.length)]?.cut();
  }

  readonly exchange: Exchange = async (request) => {
    await this.#delay();
    this.#maybeFail('the request was lost');
    if (this.#happens(0.3)) throw tooManyRequests('busy', 1);
    const response = await this.#inner(request);
    await this.#delay();
    this.#maybeFail('the answer was lost');
    return this.#carry(request, response);
  };

  #carry(request: ApiRequest, response: ApiResponse): ApiResponse {
    const { body } = response;
    if (body.kind !== 'values') return response;
    return {
      ...response,
      body: { kind: 'values', values: { open: (sink) => body.values.open(this.#link(sink, request)) } },
    };
  }

  /** The server's end of a connection to `client`. */
  #link(client: ValueSink, request: ApiRequest): ValueSink {
    const closeListeners: (() => void)[] = [];
    let alive = true;
    const haunted = this.#random.next() < 0.5;
    let arrivesAt = this.#clock.now();
    const deliver = (message: () => void) => {
      // No message arrives before the one sent before it.
      arrivesAt = Math.max(arrivesAt, this.#clock.now() + randomInt(this.#random, this.maxDelayMs));
      this.#clock.schedule(arrivesAt - this.#clock.now(), () => (alive || haunted) && message());
    };
    const close = () => {
      if (!alive) return;
      alive = false;
      this.#links.delete(link);
      // The server continues to write until it detects the disconnect.
      this.#clock.schedule(randomInt(this.#random, 5_000), () => {
        for (const listener of closeListeners) listener();
      });
    };
    const link: Link = {
      cut: () => {
        close();
        client.end();
      },
    };
    this.#links.add(link);
    client.onClose(close);
    request.signal?.addEventListener('abort', close);
    return {
      write: (event) => deliver(() => client.write(event)),
      end: () => deliver(() => link.cut()),
      onClose: (listener) => void closeListeners.push(listener),
    };
  }

  #happens(likelihood: number): boolean {
    return this.#random.next() < likelihood * this.trouble;
  }

  #maybeFail(message: string): void {
    if (this.#happens(0.3)) throw new Error(message);
  }

  #delay(): Promise<void> {
    return sleep(this.#clock, randomInt(this.#random, this.maxDelayMs));
  }
}
