import type { ForwardedPort } from '@coracle/proxy';

type Target = ForwardedPort['endpoints'][number];

/** Chooses endpoints for clients of one port. */
export class ClientAffinity {
  #port: ForwardedPort;
  readonly #affinities = new Map<string, { readonly target: Target; readonly until: number }>();

  constructor(port: ForwardedPort) {
    this.#port = port;
  }

  /** Replaces the endpoints, from the next client on. */
  lead(port: ForwardedPort): void {
    this.#port = port;
    for (const [client, { target }] of this.#affinities) if (!this.isCurrent(target)) this.#affinities.delete(client);
  }

  isCurrent(target: Target): boolean {
    return this.#port.endpoints.some(({ address, port }) => address === target.address && port === target.port);
  }

  /** Endpoints in the order in which they are tried. */
  endpointsFor(client: string): readonly Target[] {
    const { endpoints } = this.#port;
    const first = Math.floor(Math.random() * endpoints.length);
    const turned = [...endpoints.slice(first), ...endpoints.slice(0, first)];
    const cached = this.#affinities.get(client);
    if (!cached || cached.until < performance.now()) return turned;
    return [cached.target, ...turned.filter((one) => one !== cached.target)];
  }

  /** Records that the client was served by this endpoint. */
  keep(client: string, target: Target): void {
    const { affinitySeconds } = this.#port;
    if (affinitySeconds > 0)
      this.#affinities.set(client, { target, until: performance.now() + affinitySeconds * 1000 });
  }
}
