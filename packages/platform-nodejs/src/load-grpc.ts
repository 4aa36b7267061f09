import type { Client, ClientOptions } from '@grpc/grpc-js';

type Grpc = typeof import('@grpc/grpc-js');

/**
 * gRPC is large: it is loaded with the first call. It is CommonJS, and a bundle has all of its exports in the default
 * one.
 */
async function loadGrpc(): Promise<Grpc> {
  const loaded: Grpc & { readonly default?: Grpc } = await import('@grpc/grpc-js');
  return loaded.default ?? loaded;
}

/** A client without TLS, created with the first call. */
export class LazyGrpcClient implements Disposable {
  readonly #address: string;
  readonly #options: ClientOptions;
  #loading: Promise<{ readonly grpc: Grpc; readonly client: Client }> | undefined;
  #client: Client | undefined;
  #isClosed = false;

  constructor(address: string, options: ClientOptions) {
    this.#address = address;
    this.#options = options;
  }

  get(): Promise<{ readonly grpc: Grpc; readonly client: Client }> {
    this.#loading ??= loadGrpc().then((grpc) => {
      const client = new grpc.Client(this.#address, grpc.credentials.createInsecure(), this.#options);
      this.#client = client;
      if (this.#isClosed) client.close();
      return { grpc, client };
    });
    return this.#loading;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#client?.close();
  }
}
