import {
  CachedDiscovery,
  type Client,
  type Connection,
  createClient,
  type DiscoveryFiles,
  type Transport,
} from '@coracle/client';
import { CommandError } from './command/command-error.js';
import type { FlagValues } from './command/flag-values.js';
import { ConnectionFailed } from './command/format-error.js';
import { discoveryFilesIn } from './factory/discovery-files.js';
import { KubeconfigLoader } from './factory/kubeconfig-loader.js';
import { logged } from './factory/log-requests.js';
import { parseTimeout } from './factory/parse-timeout.js';
import type { Host } from './host.js';
import { clientVersion } from './version.js';

/** Everything that talks to the cluster, made when it is first asked for. */
export class Factory {
  readonly host: Host;
  readonly flags: FlagValues;
  readonly kubeconfig: KubeconfigLoader;
  #client: Promise<Client> | undefined;
  #discovery: Promise<CachedDiscovery> | undefined;
  #connection: Promise<Connection> | undefined;
  /** Warnings are printed once, however often the server sends them. */
  readonly #warnings = new Set<string>();
  readonly #disposables: Partial<Disposable>[] = [];

  constructor(host: Host, flags: FlagValues, given?: { readonly client: Client }) {
    this.host = host;
    this.flags = flags;
    this.kubeconfig = new KubeconfigLoader(host, flags);
    if (given) this.#client = Promise.resolve(given.client);
  }

  get warningCount(): number {
    return this.#warnings.size;
  }

  /** The namespace that the command works in, and whether the user named it. */
  async namespace(): Promise<{ readonly namespace: string; readonly enforced: boolean }> {
    return this.kubeconfig.namespace();
  }

  connection(): Promise<Connection> {
    this.#connection ??= this.kubeconfig.connection();
    return this.#connection;
  }

  client(): Promise<Client> {
    this.#client ??= this.#connect();
    return this.#client;
  }

  discovery(): Promise<CachedDiscovery> {
    this.#discovery ??= this.#openDiscovery();
    return this.#discovery;
  }

  /** The address of the server, for messages. */
  async server(): Promise<string> {
    return (await this.connection()).server;
  }

  [Symbol.dispose](): void {
    for (const one of this.#disposables) one[Symbol.dispose]?.();
  }

  async #connect(): Promise<Client> {
    const connection = await this.connection();
    const timeoutMs = parseTimeout(this.flags.string('request-timeout'));
    const verbosity = this.flags.number('v');
    const transport = await this.host.connect({ connection, ...(timeoutMs > 0 && { timeoutMs }), verbosity });
    this.#disposables.push(transport);
    return createClient({
      transport: this.#explaining(logged(transport, { host: this.host, connection, verbosity }), connection.server),
      userAgent: `kubectl/${clientVersion.gitVersion} (${this.host.platform}) kubernetes/coracle`,
      onWarning: (text) => this.warn(text),
    });
  }

  /** Failures of the network become failures that say which server. */
  #explaining(transport: Transport, server: string): Transport {
    const host = new URL(server).host;
    return {
      ...transport,
      exchange: async (request) => {
        try {
          return await transport.exchange(request);
        } catch (error) {
          if (!(error instanceof Error) || request.signal?.aborted) throw error;
          if (error.message.startsWith('getting credentials')) throw new CommandError(error.message);
          throw new ConnectionFailed(host, error);
        }
      },
    };
  }

  /** Prints a warning, once. */
  warn(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    const { stderr } = this.host;
    stderr.write(stderr.isTerminal ? `\u001b[33;1mWarning:\u001b[0m ${text}\n` : `Warning: ${text}\n`);
  }

  async #openDiscovery(): Promise<CachedDiscovery> {
    const [client, files] = await Promise.all([this.client(), this.#discoveryFiles()]);
    return new CachedDiscovery({ client, clock: this.host.clock, ...(files && { files }) });
  }

  async #discoveryFiles(): Promise<DiscoveryFiles | undefined> {
    const { files } = this.host;
    if (!files || !this.flags.has('cache-dir')) return undefined;
    const folder = this.flags.string('cache-dir') || `${files.homeDirectory}/.kube/cache`;
    return discoveryFilesIn(files, { folder, server: await this.server() });
  }
}
