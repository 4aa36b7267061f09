import type { ApiRequest, ApiResponse, Exchange } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { createClient } from '../create-client.js';
import type { DiscoveryFiles } from './cached-discovery.js';
import { revalidating } from './revalidating.js';

/** A server whose documents have versions, and files in memory. */
function scene(version = () => '"1"') {
  const etags: (string | undefined)[] = [];
  const answered: number[] = [];
  const files = new Map<string, string>();
  const seam: DiscoveryFiles = {
    read: async (name) => (files.has(name) ? { text: files.get(name) ?? '', modifiedAt: 0 } : undefined),
    write: async (name, text) => void files.set(name, text),
  };
  const server: Exchange = async (request) => {
    etags.push(request.headers['if-none-match']);
    const response = answer(request, version());
    answered.push(response.status);
    return response;
  };
  const client = () => createClient({ transport: { exchange: revalidating(server, seam) } });
  return { etags, answered, files, client };
}

function answer({ path, headers }: ApiRequest, etag: string): ApiResponse {
  if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: { kind: 'empty' } };
  const text = JSON.stringify({ path, form: headers['accept'], version: etag, sign: '✓' });
  const bytes = new TextEncoder().encode(text);
  // Cut in the middle of a character.
  const chunks = [bytes.slice(0, bytes.length - 4), bytes.slice(bytes.length - 4)];
  return { status: 200, headers: { etag, 'content-type': 'application/json' }, body: { kind: 'bytes', chunks } };
}

describe('DI-9 descriptions of the API', () => {
  test.each([
    '/api',
    '/api/v1',
    '/apis',
    '/apis/apps',
    '/apis/apps/v1',
    '/openapi/v3',
    '/openapi/v3/apis/apps/v1?hash=A',
  ])('%s is sent once, and then revalidated', async (path) => {
    const { etags, answered, client } = scene();
    const first = await client().raw('GET', path);
    const second = await client().raw('GET', path);
    expect(second).toMatchObject({ status: 200, body: first.body });
    expect(first.body).toMatchObject({ path: path.split('?')[0], sign: '✓' });
    expect({ etags, answered }).toEqual({ etags: [undefined, '"1"'], answered: [200, 304] });
  });

  test('a new version takes the place of the old one', async () => {
    let version = '"1"';
    const { etags, answered, files, client } = scene(() => version);
    await client().raw('GET', '/apis');
    version = '"2"';
    expect((await client().raw('GET', '/apis')).body).toMatchObject({ version: '"2"' });
    expect((await client().raw('GET', '/apis')).body).toMatchObject({ version: '"2"' });
    expect({ etags, answered, files: files.size }).toEqual({
      etags: [undefined, '"1"', '"2"'],
      answered: [200, 200, 304],
      files: 1,
    });
  });

  test('one form is not answered with another', async () => {
    const { answered, client } = scene();
    await client().raw('GET', '/apis', { headers: { accept: 'application/json;as=A' } });
    const other = await client().raw('GET', '/apis', { headers: { accept: 'application/json;as=B' } });
    expect({ answered, form: other.body }).toMatchObject({
      answered: [200, 200],
      form: { form: 'application/json;as=B' },
    });
  });

  test.each(['', '{', 'null', '{"etag":"\\"1\\""}'])('a file with %j in it counts as missing', async (text) => {
    const { answered, files, client } = scene();
    await client().raw('GET', '/apis');
    for (const name of files.keys()) files.set(name, text);
    expect((await client().raw('GET', '/apis')).body).toMatchObject({ path: '/apis' });
    expect(answered).toEqual([200, 200]);
  });

  test.each([
    { name: 'objects', method: 'GET', path: '/api/v1/pods' },
    { name: 'logs', method: 'GET', path: '/logs/x' },
    { name: 'writes', method: 'POST', path: '/apis' },
  ])('$name are not cached', async ({ method, path }) => {
    const { files, client } = scene();
    await client().raw(method, path);
    expect(files.size).toBe(0);
  });
});
