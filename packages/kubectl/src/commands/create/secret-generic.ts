import { toBase64 } from '@coracle/apimachinery';
import type { Context } from '../../command/context.js';
import { contentHash } from '../../resources/name-hash.js';
import { readSources } from '../../resources/read-sources.js';
import type { Fields } from '../../values.js';
import { type Generated, type GeneratedResource, headOf, requireName } from './generated.js';

const secretResource: GeneratedResource = {
  group: '',
  version: 'v1',
  resource: 'secrets',
  kind: 'Secret',
  namespaced: true,
};

export async function generate(context: Context): Promise<Generated> {
  const name = requireName(context);
  const entries = await readSources(context, { kind: 'Secret', name });
  return secretOf(context, { name, type: context.flags.string('type'), entries });
}

export async function secretOf(
  context: Context,
  {
    name,
    type,
    entries,
  }: { readonly name: string; readonly type: string; readonly entries: ReadonlyMap<string, Uint8Array> },
): Promise<Generated> {
  const data = Object.fromEntries([...entries].map(([key, bytes]) => [key, toBase64(bytes)]));
  const plain: Fields = {
    ...headOf(secretResource),
    metadata: { name },
    ...(entries.size > 0 && { data }),
    ...(type !== '' && { type }),
  };
  const hashed = context.flags.bool('append-hash')
    ? { ...plain, metadata: { name: `${name}-${await contentHash(plain)}` } }
    : plain;
  return { resource: secretResource, object: hashed, failure: 'failed to create secret ' };
}
