import { toBase64 } from '@coracle/apimachinery';
import type { Context } from '../../command/context.js';
import { contentHash } from '../../resources/name-hash.js';
import { type Entries, readSources, textOf } from '../../resources/read-sources.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const resource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const entries = await readSources(context, { kind: 'ConfigMap', name });
  const plain = configMap(name, entries);
  const hashed = context.flags.bool('append-hash')
    ? { ...plain, metadata: { name: `${name}-${await contentHash(plain)}` } }
    : plain;
  return { resource, object: hashed, failure: 'failed to create configmap: ' };
}

/** Text is stored in `data`, other bytes in `binaryData`. */
export function configMap(name: string, entries: Entries): Fields {
  const data: Record<string, string> = {};
  const binaryData: Record<string, string> = {};
  for (const [key, bytes] of entries) {
    const text = textOf(bytes);
    if (text === undefined) binaryData[key] = toBase64(bytes);
    else data[key] = text;
  }
  return {
    ...headOf(resource),
    metadata: { name },
    ...(Object.keys(data).length > 0 && { data }),
    ...(Object.keys(binaryData).length > 0 && { binaryData }),
  };
}
