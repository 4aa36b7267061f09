import type { CachedDiscovery, Client, Connection } from '@coracle/client';
import { CommandError } from './command/command-error.js';
import type { FlagValues } from './command/flag-values.js';
import { type CredentialPluginPolicy, checkCredentialPlugin } from './factory/credential-plugins.js';
import type { KubeconfigLoader } from './factory/kubeconfig-loader.js';
import type { Host } from './host.js';

/** Parts that the caller provides. */
export interface FactoryParts {
  readonly client?: Client;
  readonly credentialPlugins?: CredentialPluginPolicy;
}

/** Everything that requests the cluster, loaded and created on first use: many commands need none of it. */
export class Factory {
  readonly host: Host;
  readonly flags: FlagValues;
  #kubeconfig: Promise<KubeconfigLoader> | undefined;
  readonly #policy: CredentialPluginPolicy | undefined;
  #client: Promise<Client> | undefined;
  #discovery: Promise<CachedDiscovery> | undefined;
  #connection: Promise<Connection> | undefined;
  /** Warnings are printed once, however often the server sends them. */
  readonly #warnings = new Set<string>();
  readonly #disposables: Partial<Disposable>[] = [];

  constructor(host: Host, flags: FlagValues, parts: FactoryParts = {}) {
    this.host = host;
    this.flags = flags;
    this.#policy = parts.credentialPlugins;
    if (parts.client) this.#client = Promise.resolve(parts.client);
    if (parts.client && flags.has('as')) refuseImpersonation(flags);
  }

  get warningCount(): number {
    return this.#warnings.size;
  }

  /** The namespace that the command works in, and whether the user named it. */
  async namespace(): Promise<{ readonly namespace: string; readonly enforced: boolean }> {
    return (await this.kubeconfig()).namespace();
  }

  kubeconfig(): Promise<KubeconfigLoader> {
    this.#kubeconfig ??= import('./factory/kubeconfig-loader.js').then(
      (loaded) => new loaded.KubeconfigLoader(this.host, this.flags),
    );
    return this.#kubeconfig;
  }

  connection(): Promise<Connection> {
    this.#connection ??= this.kubeconfig().then((loader) => loader.connection());
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

  /** Shares discovery results with another factory of the same cluster. */
  shareDiscovery(other: Factory): void {
    this.#discovery = other.discovery();
  }

  /** The address of the server, for messages. */
  async server(): Promise<string> {
    return (await this.connection()).server;
  }

  [Symbol.dispose](): void {
    for (const one of this.#disposables) one[Symbol.dispose]?.();
  }

  async #connect(): Promise<Client> {
    const [connection, { connect }] = await Promise.all([this.connection(), import('./factory/connect.js')]);
    this.#checkPlugin(connection);
    const { client, transport } = await connect({
      connection,
      host: this.host,
      flags: this.flags,
      onWarning: (text) => this.warn(text),
    });
    this.#disposables.push(transport);
    return client;
  }

  /** The user's preferences may keep programs from being run for credentials. */
  #checkPlugin({ credentials }: Connection): void {
    const command = credentials.exec?.command;
    if (command !== undefined && this.#policy) checkCredentialPlugin(command, this.#policy);
  }

  /** Prints a warning, once. */
  warn(text: string): void {
    if (this.#warnings.has(text)) return;
    this.#warnings.add(text);
    const { stderr } = this.host;
    stderr.write(stderr.isTerminal ? `\u001b[33;1mWarning:\u001b[0m ${text}\n` : `Warning: ${text}\n`);
  }

  async #openDiscovery(): Promise<CachedDiscovery> {
    const [client, { openDiscovery }] = await Promise.all([this.client(), import('./factory/open-discovery.js')]);
    return openDiscovery({ client, host: this.host, flags: this.flags, server: () => this.server() });
  }
}

/** A client passed by the caller acts as its own user. Ignoring the flag would act as the wrong user. */
function refuseImpersonation(flags: FlagValues): void {
  const flag = ['as', 'as-group', 'as-uid', 'as-user-extra'].find((name) => flags.changed(name));
  if (flag) throw new CommandError(`--${flag} cannot be used with a client that was given: give one of that user`);
}
