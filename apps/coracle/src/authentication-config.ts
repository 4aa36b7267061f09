import { readFile } from 'node:fs/promises';
import { parseYamlDocuments } from '@coracle/apimachinery';

interface AuthenticationConfiguration {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly jwt?: readonly object[];
  readonly anonymous?: { readonly enabled?: boolean; readonly conditions?: readonly { readonly path?: string }[] };
}

const versions = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `apiserver.config.k8s.io/${version}`);
const fields: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'jwt', 'anonymous']);

/** Whether there are anonymous requests, and at which paths, if the file of `--authentication-config` says so. */
export async function readAnonymous(
  file: string,
): Promise<boolean | { readonly paths: readonly string[] } | undefined> {
  const { jwt = [], anonymous } = checked(file, parseYamlDocuments(await readFile(file))[0]?.value);
  if (jwt.length > 0) throw new Error(`${file}: jwt: there are no tokens of other issuers here yet`);
  if (!anonymous) return undefined;
  const { enabled = false, conditions = [] } = anonymous;
  if (conditions.length === 0) return enabled;
  if (!enabled)
    throw new Error(`${file}: anonymous.conditions: enabled should be set to true when conditions are defined`);
  return { paths: conditions.map(({ path = '' }) => path) };
}

function checked(file: string, value: unknown): AuthenticationConfiguration {
  const config = (value ?? {}) as AuthenticationConfiguration;
  if (config.kind !== 'AuthenticationConfiguration' || !versions.includes(config.apiVersion ?? ''))
    throw new Error(`${file} holds no AuthenticationConfiguration of ${versions.join(', ')}`);
  const unknown = Object.keys(config).find((field) => !fields.has(field));
  if (unknown !== undefined) throw new Error(`${file}: unknown field ${JSON.stringify(unknown)}`);
  return config;
}
