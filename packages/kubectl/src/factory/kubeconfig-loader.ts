import {
  type Connection,
  type ConnectionOverrides,
  connectionOf,
  type Impersonation,
  type Kubeconfig,
  mergeKubeconfigs,
  parseKubeconfig,
  resolveFiles,
} from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import type { FlagValues } from '../command/flag-values.js';
import { InvalidConfiguration, messageOf } from '../command/format-error.js';
import { FileError, type Host } from '../host.js';
import { klogHead } from '../klog.js';
import { directoryOf, resolvePath } from '../paths.js';

const inClusterHint: Connection = { server: 'http://localhost:8080', credentials: {}, namespace: 'default' };

/** The kubeconfig files, merged, and the connection that they and the flags mean. */
export class KubeconfigLoader {
  readonly #host: Host;
  readonly #flags: FlagValues;
  #merged: Promise<Kubeconfig> | undefined;

  constructor(host: Host, flags: FlagValues) {
    this.#host = host;
    this.#flags = flags;
  }

  /** The files that count, the first one first. */
  paths(): readonly string[] {
    const named = this.#flag('kubeconfig');
    if (named) return [named];
    const listed = (this.#host.env['KUBECONFIG'] ?? '').split(':').filter(Boolean);
    if (listed.length > 0) return [...new Set(listed)];
    const home = this.#host.files?.homeDirectory;
    return home ? [`${home}/.kube/config`] : [];
  }

  /** One view of all files, with paths in them made absolute. */
  merged(): Promise<Kubeconfig> {
    this.#merged ??= this.#load();
    return this.#merged;
  }

  /** One file as it is; empty if it does not exist. */
  async file(path: string, mustExist = false): Promise<Kubeconfig> {
    const { files } = this.#host;
    if (!files) return {};
    let text: string;
    try {
      text = new TextDecoder().decode(await files.read(path));
    } catch (error) {
      if (error instanceof FileError && error.isMissing && !mustExist) return {};
      if (error instanceof FileError && error.isMissing)
        throw new CommandError(`stat ${path}: no such file or directory`);
      throw new CommandError(`error loading config file "${path}": ${messageOf(error)}`);
    }
    if (text.trim() === '') return {};
    try {
      return parseKubeconfig(text);
    } catch (error) {
      const reason = messageOf(error).replace(/^error converting YAML to JSON: /, '');
      throw new CommandError(`error loading config file "${path}": ${reason}`);
    }
  }

  async namespace(): Promise<{ readonly namespace: string; readonly enforced: boolean }> {
    const namespace = this.#flag('namespace');
    if (namespace) return { namespace, enforced: true };
    const config = await this.merged();
    const name = this.#flag('context') || config['current-context'];
    const context = config.contexts?.find((entry) => entry.name === name)?.context;
    if (context?.namespace) return { namespace: context.namespace, enforced: false };
    const inCluster = (config.clusters ?? []).length === 0 ? await this.#host.inCluster?.() : undefined;
    if (inCluster) this.#log('Using in-cluster namespace');
    return { namespace: inCluster?.namespace ?? 'default', enforced: false };
  }

  async connection(): Promise<Connection> {
    const config = await this.merged();
    this.#checkNames(config);
    const overrides = this.#overrides(config);
    if (!this.#flag('server') && (config.clusters ?? []).length === 0) {
      const inCluster = await this.#host.inCluster?.();
      if (!inCluster) return inClusterHint;
      this.#log('Using in-cluster configuration');
      return withOverrides(inCluster, overrides);
    }
    const connection = this.#connect(config, overrides);
    await this.#checkFiles(connection, config);
    return {
      ...connection,
      ...(this.#flags.bool('disable-compression') && { disableCompression: true }),
    };
  }

  /** What the fourth level of verbosity reports. */
  #log(text: string): void {
    if (this.#flags.has('v') && this.#flags.number('v') >= 4)
      this.#host.stderr.write(`${klogHead(this.#host, 'I', 'merged_client_builder.go:121')}${text}\n`);
  }

  #connect(config: Kubeconfig, overrides: ConnectionOverrides): Connection {
    try {
      return connectionOf(config, overrides);
    } catch (error) {
      const message = messageOf(error);
      if (/no server found/.test(message)) return { ...inClusterHint };
      if (/^cluster ".*" does not exist/.test(message) && !this.#flag('cluster')) return { ...inClusterHint };
      throw new CommandError(message);
    }
  }

  /** Names on the command line must be there. */
  #checkNames(config: Kubeconfig): void {
    const context = this.#flag('context');
    if (context && !config.contexts?.some(({ name }) => name === context))
      throw new InvalidConfiguration(`context was not found for specified context: ${context}`);
    const cluster = this.#flag('cluster');
    if (cluster && !config.clusters?.some(({ name }) => name === cluster))
      throw new CommandError(`no server found for cluster ${JSON.stringify(cluster)}`);
    const user = this.#flag('user');
    if (user && !config.users?.some(({ name }) => name === user))
      throw new CommandError(`auth info ${JSON.stringify(user)} does not exist`);
  }

  #overrides(config: Kubeconfig): ConnectionOverrides {
    const impersonate = this.#impersonation(config);
    const text = (name: string, key: keyof ConnectionOverrides) => {
      const value = this.#flag(name);
      return value ? { [key]: value } : {};
    };
    return {
      ...text('context', 'context'),
      ...text('cluster', 'cluster'),
      ...text('user', 'user'),
      ...text('namespace', 'namespace'),
      ...text('server', 'server'),
      ...text('certificate-authority', 'certificateAuthority'),
      ...text('client-certificate', 'clientCertificate'),
      ...text('client-key', 'clientKey'),
      ...text('token', 'token'),
      ...text('username', 'username'),
      ...text('password', 'password'),
      ...text('tls-server-name', 'tlsServerName'),
      ...(this.#flags.bool('insecure-skip-tls-verify') && { insecureSkipTlsVerify: true }),
      ...(impersonate && { impersonate }),
    };
  }

  #impersonation(config: Kubeconfig): Impersonation | undefined {
    const user = this.#flag('as');
    const groups = this.#flags.strings('as-group');
    const uid = this.#flag('as-uid');
    const extras = this.#flags.strings('as-user-extra');
    if (!user) {
      if (groups.length === 0 && !uid && extras.length === 0) return undefined;
      const name = this.#flag('context') || config['current-context'] || '';
      const context = config.contexts?.find((entry) => entry.name === name)?.context;
      throw new CommandError(
        `requesting uid, groups or user-extra for ${context?.user ?? ''} without impersonating a user`,
      );
    }
    const extra: Record<string, string[]> = {};
    for (const pair of extras) {
      const [key = '', value = ''] = pair.split(/=(.*)/s);
      (extra[key] ??= []).push(value);
    }
    return { user, ...(uid && { uid }), ...(groups.length > 0 && { groups }), ...(extras.length > 0 && { extra }) };
  }

  /** A file that cannot be read is reported now, not with the first request. */
  async #checkFiles({ certificateAuthority, credentials }: Connection, config: Kubeconfig): Promise<void> {
    const name = this.#flag('context') || config['current-context'] || '';
    const context = config.contexts?.find((entry) => entry.name === name)?.context;
    const named = [
      ['certificate-authority', certificateAuthority, this.#flag('cluster') || context?.cluster],
      ['client-cert', credentials.clientCertificate, this.#flag('user') || context?.user],
      ['client-key', credentials.clientKey, this.#flag('user') || context?.user],
    ] as const;
    for (const [what, material, owner] of named) {
      if (!material || !('file' in material) || !this.#host.files) continue;
      try {
        await this.#host.files.stat(material.file);
      } catch (error) {
        const shown = messageOf(error).replace(/^stat /, 'open ');
        throw new CommandError(`unable to read ${what} ${material.file} for ${owner ?? ''} due to ${shown}`);
      }
    }
  }

  async #load(): Promise<Kubeconfig> {
    const named = this.#flag('kubeconfig') !== '';
    const configs = await Promise.all(
      this.paths().map(async (path) => {
        const config = await this.file(path, named);
        const folder = resolvePath(this.#host.files?.workingDirectory ?? '/', directoryOf(path));
        return resolveFiles(config, (file) => resolvePath(folder, file));
      }),
    );
    return mergeKubeconfigs(configs);
  }

  #flag(name: string): string {
    return this.#flags.has(name) && this.#flags.spec(name)?.type === 'string' ? this.#flags.string(name) : '';
  }
}

/** The connection of a process in a pod, with what the flags change about it. */
function withOverrides(
  connection: Connection,
  { token, certificateAuthority, tlsServerName, insecureSkipTlsVerify, impersonate }: ConnectionOverrides,
): Connection {
  const { certificateAuthority: own, ...rest } = connection;
  const authority = certificateAuthority ? { file: certificateAuthority } : own;
  return {
    ...rest,
    ...(authority && !insecureSkipTlsVerify && { certificateAuthority: authority }),
    ...(insecureSkipTlsVerify && { insecureSkipTlsVerify }),
    ...(tlsServerName && { tlsServerName }),
    ...(token && { credentials: { token } }),
    ...(impersonate && { impersonate }),
  };
}
