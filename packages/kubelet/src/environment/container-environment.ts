import type { Container, EnvFromSource, EnvVarSource, FileKeySelector } from '@coracle/api';
import { fromBase64 } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import { ConfigError } from '../config-error.js';
import { configMapOf, type PodReferences, type ReferenceTo, secretOf } from '../pod-references.js';
import { parseEnvFile } from './env-file.js';
import { expandVariables } from './expand-variables.js';
import { type PodPlace, podField } from './pod-field.js';
import { resourceField } from './resource-field.js';
import { serviceVariables } from './service-variables.js';

/** Inputs of the environment. */
export interface EnvironmentInput extends PodPlace {
  readonly container: Container;
  readonly references: PodReferences;
  /** Allocatable resources of the node: the default for absent limits. */
  readonly allocatable: Readonly<Record<string, string>>;
  /** Reads a file in a volume; absent where volumes have no files. */
  readonly readFile?: ((volume: string, path: string) => Promise<string | undefined>) | undefined;
  /** Called with keys that are not valid variable names, which are skipped. */
  readonly onSkipped: (source: string, keys: readonly string[]) => void;
}

/** The service whose variables every container gets, even with `enableServiceLinks: false`. */
const apiService = { namespace: 'default', name: 'kubernetes' };

/**
 * The environment variables of a container: those of `envFrom` first, then its own, each of which may use the previous
 * ones, then those of services with other names. Throws a `ConfigError` if something is missing.
 */
export async function containerEnvironment(input: EnvironmentInput): Promise<Map<string, string>> {
  const services = await servicesFor(input);
  const variables = new Map<string, string>();
  for (const source of input.container.envFrom ?? []) await addAll(input, source, variables);
  for (const variable of input.container.env ?? []) {
    const lookup = (name: string) => variables.get(name) ?? services.get(name);
    const value = variable.valueFrom
      ? await valueFrom(input, variable.valueFrom)
      : expandVariables(variable.value ?? '', lookup);
    if (value !== undefined) variables.set(variable.name, value);
  }
  for (const [name, value] of services) if (!variables.has(name)) variables.set(name, value);
  return variables;
}

async function servicesFor({ pod, references }: EnvironmentInput): Promise<Map<string, string>> {
  const own = pod.metadata.namespace ?? '';
  const api = (await references.services(apiService.namespace)).filter(
    ({ metadata }) => metadata.name === apiService.name,
  );
  const linked = (pod.spec?.enableServiceLinks ?? true) ? await references.services(own) : [];
  return serviceVariables([...api, ...linked]);
}

async function addAll(input: EnvironmentInput, source: EnvFromSource, into: Map<string, string>): Promise<void> {
  const namespace = input.pod.metadata.namespace ?? '';
  const { configMapRef, secretRef, prefix = '' } = source;
  const ref = configMapRef ?? secretRef;
  if (!ref) return;
  const data = await (configMapRef ? configData : secretData)(input, ref);
  const skipped: string[] = [];
  for (const key of Object.keys(data ?? {}).sort()) {
    const name = prefix + key;
    if (isVariableName(name)) into.set(name, data?.[key] ?? '');
    else skipped.push(key);
  }
  if (skipped.length > 0) input.onSkipped(`${configMapRef ? 'configMap' : 'secret'} ${namespace}/${ref.name}`, skipped);
}

/** Printable, without `=`. */
function isVariableName(name: string): boolean {
  return /^[ -<>-~]+$/.test(name);
}

/** `undefined` if it is missing and optional. */
async function configData(input: EnvironmentInput, reference: ReferenceTo): Promise<Values | undefined> {
  const found = await configMapOf(input.references, input.pod, reference);
  return found && (found.data ?? {});
}

async function secretData(input: EnvironmentInput, reference: ReferenceTo): Promise<Values | undefined> {
  const found = await secretOf(input.references, input.pod, reference);
  return found && Object.fromEntries(Object.entries(found.data ?? {}).map(([key, value]) => [key, textOf(value)]));
}

type Values = Readonly<Record<string, string>>;

function textOf(base64: string): string {
  return new TextDecoder().decode(fromBase64(base64) ?? new Uint8Array());
}

/** `undefined` for a missing optional value. */
async function valueFrom(input: EnvironmentInput, source: EnvVarSource): Promise<string | undefined> {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = source;
  if (fieldRef) return podField(input, fieldRef.fieldPath);
  if (resourceFieldRef) return resourceField(input.container, resourceFieldRef, input.allocatable);
  if (fileKeyRef) return fileValue(input, fileKeyRef);
  const ref = configMapKeyRef ?? secretKeyRef;
  if (!ref) return undefined;
  const data = await (configMapKeyRef ? configData : secretData)(input, ref);
  const value = data && ownValue(data, ref.key);
  if (value !== undefined || ref.optional) return value;
  const kind = configMapKeyRef ? 'ConfigMap' : 'Secret';
  throw new ConfigError(`couldn't find key ${ref.key} in ${kind} ${input.pod.metadata.namespace}/${ref.name}`);
}

const mostKeyCharacters = 128;
const mostValueBytes = 32 * 1024;

/** `undefined` for a missing optional file or key, and where volumes have no files. */
async function fileValue({ readFile }: EnvironmentInput, selector: FileKeySelector): Promise<string | undefined> {
  const { volumeName, path, key, optional } = selector;
  if (!readFile) return undefined;
  if (key.length > mostKeyCharacters)
    throw new ConfigError(`environment variable key ${JSON.stringify(key)} exceeds maximum length of 128 characters`);
  const text = await readFile(volumeName, path);
  const value = text === undefined ? undefined : parseEnvFile(text).get(key);
  if (value === undefined) {
    if (optional) return undefined;
    throw new ConfigError(`environment variable key ${JSON.stringify(key)} not found in file`);
  }
  if (new TextEncoder().encode(value).length > mostValueBytes)
    throw new ConfigError(`environment variable value for key ${JSON.stringify(key)} exceeds maximum size of 32KB`);
  return value;
}
