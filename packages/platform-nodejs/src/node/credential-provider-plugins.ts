import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDuration, parseYamlDocuments } from '@coracle/apimachinery';
import type { Clock, Logger } from '@coracle/base';
import {
  type CredentialProvider,
  type CredentialProviderResponse,
  type CredentialProviders,
  createCredentialProviders,
} from '@coracle/kubelet';

export interface CredentialPluginsOptions {
  /** A `CredentialProviderConfig`. */
  readonly configFile: string;
  /** Where its programs are. */
  readonly binFolder: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

interface ConfiguredProvider {
  readonly name?: string;
  readonly matchImages?: readonly string[];
  readonly defaultCacheDuration?: string;
  readonly apiVersion?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

type Plugin = CredentialProvider & Pick<ConfiguredProvider, 'args' | 'env'>;

const timeoutMs = 60_000;

/** Credential provider plugins of this machine. */
export async function credentialProviderPlugins(options: CredentialPluginsOptions): Promise<CredentialProviders> {
  const { configFile, binFolder, clock, logger } = options;
  const config = parseYamlDocuments(await readFile(configFile))[0]?.value as
    | { readonly kind?: string; readonly providers?: readonly ConfiguredProvider[] }
    | undefined;
  if (config?.kind !== 'CredentialProviderConfig')
    throw new Error(`${configFile}: it contains no CredentialProviderConfig`);
  const plugins = (config.providers ?? []).map(pluginOf);
  return createCredentialProviders({
    providers: plugins,
    clock,
    run: (provider, image) => runPlugin(binFolder, provider, image),
    onError: ({ name }, error) => logger.error('A credential provider failed', { name, error }),
  });
}

function pluginOf({
  name,
  matchImages,
  apiVersion,
  defaultCacheDuration = '0s',
  args,
  env,
}: ConfiguredProvider): Plugin {
  if (!name || name.includes('/')) throw new Error(`${JSON.stringify(name)} is not a name of a credential provider`);
  if (!matchImages?.length) throw new Error(`the credential provider ${name} has no matchImages`);
  return {
    name,
    matchImages,
    apiVersion: apiVersion ?? 'credentialprovider.kubelet.k8s.io/v1',
    defaultCacheDuration: parseDuration(defaultCacheDuration) ?? 0,
    ...(args && { args }),
    ...(env && { env }),
  };
}

async function runPlugin(folder: string, plugin: Plugin, image: string): Promise<CredentialProviderResponse> {
  const { name, apiVersion, args = [], env = [] } = plugin;
  const child = spawn(join(folder, name), [...args], {
    env: { ...process.env, ...Object.fromEntries(env.map((one) => [one.name, one.value])) },
    timeout: timeoutMs,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify({ apiVersion, kind: 'CredentialProviderRequest', image }));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`error execing credential provider plugin ${name}: ${Buffer.concat(err).toString()}`);
  const { cacheDuration, ...answer } = JSON.parse(Buffer.concat(out).toString()) as CredentialProviderResponse & {
    readonly cacheDuration?: string;
  };
  const parsed = cacheDuration === undefined ? undefined : parseDuration(cacheDuration);
  return { ...answer, ...(parsed !== undefined && { cacheDuration: parsed }) };
}
