import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parseYamlDocuments } from '@coracle/apimachinery';
import type { OutboundCredentials, WebhookCredentials } from '@coracle/cluster';

interface KubeconfigUser {
  readonly name?: string;
  readonly user?: Readonly<Record<string, string | undefined>>;
}

const plugins = ['MutatingAdmissionWebhook', 'ValidatingAdmissionWebhook'];

/**
 * Credentials of the server for webhooks: the users of the kubeconfig that the configuration of the webhook plugins
 * names, each under the host that it is for (`hook.ns.svc`, `hook.example.com:8443`, `*.example.com`, `*`).
 */
export async function readWebhookCredentials(
  config: Readonly<Record<string, object>>,
  configFile: string,
): Promise<WebhookCredentials | undefined> {
  const named = plugins
    .map((name) => (config[name] as { kubeConfigFile?: string } | undefined)?.kubeConfigFile)
    .find((path) => path);
  if (!named) return undefined;
  const file = resolve(dirname(configFile), named);
  const [document] = parseYamlDocuments(await readFile(file));
  const { users = [] } = (document?.value ?? {}) as { users?: readonly KubeconfigUser[] };
  const byHost = new Map<string, OutboundCredentials>();
  for (const { name = '', user = {} } of users) byHost.set(name, await credentialsOf(user, dirname(file)));
  return (host) =>
    candidates(host)
      .map((one) => byHost.get(one))
      .find((found) => found);
}

/** The names of a host, the exact one first. The default port may be left out. */
export function candidates(host: string): string[] {
  const bare = host.replace(/:443$/, '');
  const labels = bare.split('.');
  const wildcards = labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
  return [host, bare, ...wildcards, '*'];
}

async function credentialsOf(user: NonNullable<KubeconfigUser['user']>, folder: string): Promise<OutboundCredentials> {
  const material = async (name: string): Promise<string | undefined> => {
    const data = user[`${name}-data`];
    if (data) return Buffer.from(data, 'base64').toString('utf8');
    const path = user[name];
    return path ? await readFile(resolve(folder, path), 'utf8') : undefined;
  };
  const clientCertificate = await material('client-certificate');
  const clientKey = await material('client-key');
  const tokenFile = user['tokenFile'];
  const token = user['token'] ?? (tokenFile ? (await readFile(resolve(folder, tokenFile), 'utf8')).trim() : undefined);
  return {
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(token && { token }),
  };
}
