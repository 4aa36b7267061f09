import type { PodSpec, Volume } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { allocatable, fakeReferences, makePod, place } from '../builders.fixture.js';
import type { VolumeFiles } from './volume-file.js';
import { volumeFiles } from './volume-files.js';

const references = fakeReferences({
  configMaps: { settings: { color: 'blue', size: 'big' }, 'kube-root-ca.crt': { 'ca.crt': 'CERT' } },
  secrets: { login: { user: 'ada' } },
});
const containers: PodSpec['containers'] = [{ name: 'web', image: 'i', resources: { limits: { memory: '64Mi' } } }];

function filesOf(volume: Omit<Volume, 'name'>): Promise<VolumeFiles | undefined> {
  const requestToken = async (_pod: unknown, { audience = 'api' }: { audience?: string }) => `token for ${audience}`;
  const input = { ...place, pod: makePod({ containers }), references, allocatable, requestToken, root: '/' };
  return volumeFiles(input, { name: 'v', ...volume });
}

/** `mode content`, by path. */
async function shown(volume: Omit<Volume, 'name'>): Promise<Record<string, string> | undefined> {
  const files = await filesOf(volume);
  if (!files) return undefined;
  const read = [...files].map(async ([path, { mode, content }]) => {
    return [path, `${mode.toString(8)} ${new TextDecoder().decode(await content())}`] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

describe('the files of a volume', () => {
  test('a config map has one for each key', async () => {
    expect(await shown({ configMap: { name: 'settings', defaultMode: 0o400 } })).toEqual({
      color: '400 blue',
      size: '400 big',
    });
  });

  test('or for the items that are listed, at their paths', async () => {
    const items = [{ key: 'color', path: 'paint/it', mode: 0o600 }];
    expect(await shown({ configMap: { name: 'settings', items } })).toEqual({ 'paint/it': '600 blue' });
  });

  test('a secret has its decoded bytes', async () => {
    expect(await shown({ secret: { secretName: 'login' } })).toEqual({ user: '644 ada' });
  });

  test('the downward API has fields of the pod itself', async () => {
    const items = [
      { path: 'labels', fieldRef: { fieldPath: 'metadata.labels' } },
      { path: 'memory', resourceFieldRef: { containerName: 'web', resource: 'limits.memory', divisor: '1Mi' } },
    ];
    expect(await shown({ downwardAPI: { items } })).toEqual({
      labels: '644 app="web"\ntier="front"',
      memory: '644 64',
    });
  });

  test('a projected one has those of all its sources, such as the service account', async () => {
    const sources = [
      { serviceAccountToken: { path: 'token', expirationSeconds: 3607 } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [{ path: 'namespace', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
    ];
    expect(await shown({ projected: { sources, defaultMode: 0o640 } })).toEqual({
      token: '640 token for api',
      'ca.crt': '640 CERT',
      namespace: '640 shop',
    });
  });

  test('others have no files of other objects', async () => {
    expect(await shown({ emptyDir: {} })).toBeUndefined();
    expect(await shown({ hostPath: { path: '/data' } })).toBeUndefined();
  });

  test('optional objects may be missing', async () => {
    expect(await shown({ secret: { secretName: 'x', optional: true } })).toEqual({});
    const items = [{ key: 'x', path: 'x' }];
    expect(await shown({ configMap: { name: 'settings', items, optional: true } })).toEqual({});
  });

  test.each<[string, Omit<Volume, 'name'>, string]>([
    ['its config map', { configMap: { name: 'x' } }, 'configmap "x" not found'],
    ['its secret', { secret: { secretName: 'x' } }, 'secret "x" not found'],
    [
      'a key of its config map',
      { configMap: { name: 'settings', items: [{ key: 'x', path: 'x' }] } },
      'references non-existent config key: x',
    ],
    [
      'a key of its secret',
      { secret: { secretName: 'login', items: [{ key: 'x', path: 'x' }] } },
      'references non-existent secret key: x',
    ],
    [
      'several sources',
      { projected: { sources: [{ configMap: { name: 'x' } }, { secret: { name: 'y' } }] } },
      '[configmap "x" not found, secret "y" not found]',
    ],
  ])('cannot be computed without %s', async (_, volume, message) => {
    await expect(filesOf(volume)).rejects.toThrow(message);
  });
});
