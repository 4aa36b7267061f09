import { toBase64 } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { baseName } from '../paths.js';
import { parseEnvironment, textOf } from '../resources/read-sources.js';
import { type Fields, isRecord, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import type { BuildContext } from './build-context.js';
import { readBelow } from './loader.js';
import { isSame, type KustomizeResource, newResource } from './resource.js';

type GeneratorContext = Pick<BuildContext, 'host' | 'folder' | 'restricted'>;

/** `configMapGenerator` and `secretGenerator`: new objects, or changes to those of lower layers. */
export async function runGenerators(
  resources: KustomizeResource[],
  config: Fields,
  context: GeneratorContext,
): Promise<void> {
  const global = recordAt(config, 'generatorOptions');
  for (const [field, kind] of [
    ['configMapGenerator', 'ConfigMap'],
    ['secretGenerator', 'Secret'],
  ] as const)
    for (const entry of recordsAt(config, field)) {
      const object = await generate(entry, kind, { ...context, global });
      const needsHash =
        (recordAt(entry, 'options')['disableNameSuffixHash'] ?? global['disableNameSuffixHash']) !== true;
      const origin = {
        configuredBy: { apiVersion: 'builtin', kind: `${kind}Generator` },
        configuredIn: 'kustomization.yaml',
      };
      absorb(resources, { ...newResource(object, needsHash), origin }, textAt(entry, 'behavior'));
    }
}

async function generate(
  entry: Fields,
  kind: 'ConfigMap' | 'Secret',
  context: GeneratorContext & { readonly global: Fields },
): Promise<Fields> {
  const { global } = context;
  const options = recordAt(entry, 'options');
  const entries = await entriesOf(entry, context);
  const labels = { ...stringMapAt(global, 'labels'), ...stringMapAt(options, 'labels') };
  const annotations = { ...stringMapAt(global, 'annotations'), ...stringMapAt(options, 'annotations') };
  const immutable = options['immutable'] ?? global['immutable'];
  const namespace = textAt(entry, 'namespace');
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  for (const [key, bytes] of entries) {
    const text = textOf(bytes);
    if (kind === 'Secret') data[key] = toBase64(bytes);
    else if (text === undefined) binaryData[key] = toBase64(bytes);
    else data[key] = text;
  }
  return {
    apiVersion: 'v1',
    kind,
    metadata: {
      name: textAt(entry, 'name'),
      ...(namespace !== '' && { namespace }),
      ...(Object.keys(labels).length > 0 && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...(kind === 'Secret' && { type: textAt(entry, 'type') || 'Opaque' }),
    ...(Object.keys(data).length > 0 && { data }),
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
    ...(immutable === true && { immutable: true }),
  };
}

async function entriesOf(
  entry: Fields,
  { host, folder, restricted }: GeneratorContext,
): Promise<Map<string, Uint8Array>> {
  const entries = new Map<string, Uint8Array>();
  const add = (key: string, bytes: Uint8Array) => {
    if (entries.has(key))
      throw new CommandError(`configmap ${textAt(entry, 'name')} illegally repeats the key \`${key}\``);
    entries.set(key, bytes);
  };
  const envs = [...textsAt(entry, 'envs'), ...(textAt(entry, 'env') ? [textAt(entry, 'env')] : [])];
  for (const path of envs) {
    const text = new TextDecoder().decode(await readBelow(host, folder, path, restricted));
    for (const [key, value] of parseEnvironment(text, path, host.env)) add(key, new TextEncoder().encode(value));
  }
  for (const source of textsAt(entry, 'files')) {
    const [key, path] = source.includes('=')
      ? (source.split(/=(.*)/s) as [string, string])
      : [baseName(source), source];
    add(key, await readBelow(host, folder, path, restricted));
  }
  for (const literal of textsAt(entry, 'literals')) {
    const mark = literal.indexOf('=');
    if (mark <= 0) throw new CommandError(`literal source ${literal} must have key=value format`);
    add(literal.slice(0, mark), new TextEncoder().encode(literal.slice(mark + 1).replace(/^(['"])(.*)\1$/s, '$2')));
  }
  return entries;
}

/** Adds what was generated, or merges it into what is there. */
function absorb(resources: KustomizeResource[], generated: KustomizeResource, behavior: string): void {
  const existing = resources.find((one) => isSame(one, generated.object));
  if (behavior === 'merge' || behavior === 'replace') {
    if (!existing)
      throw new CommandError(
        `merging from generator ${JSON.stringify(textAt(generated.object, 'metadata', 'name'))}: id ${behavior} failed: no such resource`,
      );
    existing.object =
      behavior === 'merge'
        ? mergedData(existing.object, generated.object)
        : replacedData(existing.object, generated.object);
    return;
  }
  if (existing)
    throw new CommandError(
      `merging from generator: id ${JSON.stringify(textAt(generated.object, 'metadata', 'name'))} exists; behavior must be merge or replace`,
    );
  resources.push(generated);
}

function withMetadata(base: Fields, object: Fields): Fields {
  const metadata = { ...recordAt(base, 'metadata') };
  for (const field of ['labels', 'annotations']) {
    const both = { ...stringMapAt(metadata, field), ...stringMapAt(object, 'metadata', field) };
    if (Object.keys(both).length > 0) metadata[field] = both;
  }
  return metadata;
}

function mergedData(base: Fields, object: Fields): Fields {
  const result: Fields = { ...base, metadata: withMetadata(base, object) };
  for (const field of ['data', 'binaryData']) {
    const both = { ...recordAt(base, field), ...recordAt(object, field) };
    if (Object.keys(both).length > 0) result[field] = both;
  }
  return result;
}

function replacedData(base: Fields, object: Fields): Fields {
  const { data: _, binaryData: __, ...rest } = base;
  return {
    ...rest,
    metadata: withMetadata(base, object),
    ...(isRecord(object['data']) && { data: object['data'] }),
    ...(isRecord(object['binaryData']) && { binaryData: object['binaryData'] }),
  };
}
