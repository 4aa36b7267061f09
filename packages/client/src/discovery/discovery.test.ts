import { type metav1, refs } from '@coracle/api';
import { type ApiRequest, acceptsValues, type Exchange, reasonOf } from '@coracle/apimachinery';
import { VirtualClock } from '@coracle/base';
import { startPermissiveApiServer } from '@coracle/testing';
import { describe, expect, test, vi } from 'vitest';
import { createClient } from '../create-client.js';
import { clientFor } from '../dynamic-client.js';
import { scaleClient } from '../scale-client.js';
import { CachedDiscovery, type DiscoveryFiles } from './cached-discovery.js';
import { discover, discoverVersion } from './discover.js';
import { serverAddressFor } from './server-address-for.js';
import { resourceInfos } from './server-resources.js';

const user = { name: 'admin', groups: ['system:masters'] };

async function server() {
  const clock = new VirtualClock();
  const api = await startPermissiveApiServer({ clock });
  const requests: ApiRequest[] = [];
  const exchange: Exchange = (request) => {
    requests.push(request);
    return api.exchange(request);
  };
  return { clock, requests, exchange };
}

/** A server without aggregated discovery. */
const plain =
  (exchange: Exchange): Exchange =>
  (request) =>
    exchange({ ...request, headers: { ...request.headers, accept: 'application/json' } });

describe('discovery', () => {
  test('DI-1 DI-7 the aggregated and the plain discovery have the same result, the core group first', async () => {
    const { exchange, requests } = await server();
    const aggregated = await discover(createClient({ transport: { exchange }, user }));
    const requestCount = requests.length;
    const one = await discover(createClient({ transport: { exchange: plain(exchange) }, user }));
    expect(requestCount).toBe(2);
    expect(aggregated.groups[0]?.name).toBe('');
    expect(resourceInfos(aggregated)).toEqual(resourceInfos(one));
    const pods = resourceInfos(aggregated).find(({ resource }) => resource === 'pods');
    expect(pods).toMatchObject({
      kind: 'Pod',
      namespaced: true,
      shortNames: ['po'],
      categories: ['all'],
      singular: 'pod',
    });
    expect(pods?.subresources.find(({ name }) => name === 'eviction')).toMatchObject({
      group: 'policy',
      kind: 'Eviction',
    });
  });

  test('unchanged documents are not sent again, and changed ones are', async () => {
    const { exchange } = await server();
    const answers: string[] = [];
    const client = createClient({
      transport: {
        exchange: async (request) => {
          const answer = await exchange(request);
          answers.push(`${request.path} ${answer.status}`);
          return answer;
        },
      },
      user,
    });
    const first = await discover(client);
    expect(await discover(client, first)).toBe(first);
    expect(answers.splice(0)).toEqual(['/api 200', '/apis 200', '/api 304', '/apis 304']);
    const other = await discover(createClient({ transport: { exchange: plain(exchange) }, user }));
    expect(await discover(client, other)).toEqual(first);
    expect(answers).toEqual(['/api 200', '/apis 200']);
  });

  test('DI-2 DI-6 a hidden root is empty, and a version that fails does not affect the others', async () => {
    const { exchange } = await server();
    const failing: Exchange = async (request) => {
      if (request.path === '/api') return { status: 403, headers: {}, body: { kind: 'empty' } };
      if (request.path === '/apis/apps/v1') return { status: 503, headers: {}, body: { kind: 'empty' } };
      return plain(exchange)(request);
    };
    const found = await discover(createClient({ transport: { exchange: failing }, user }));
    expect([...found.failures.keys()]).toEqual(['apps/v1']);
    expect(found.groups.some(({ name }) => name === '')).toBe(false);
    expect(found.lists.some(({ groupVersion }) => groupVersion === 'batch/v1')).toBe(true);
  });

  test('DI-4 a client in the service CIDR receives the address of the service, and uses it', async () => {
    const { exchange } = await server();
    const address = '10.96.3.3';
    const { body } = await exchange({
      method: 'GET',
      path: '/api',
      query: '',
      headers: { accept: 'application/json', [acceptsValues]: 'true' },
      peer: { address, user },
    });
    const { serverAddressByClientCIDRs: addresses } = (body.kind === 'value' ? body.value : {}) as metav1.APIVersions;
    expect(addresses).toEqual([
      { clientCIDR: '0.0.0.0/0', serverAddress: '127.0.0.1:6443' },
      { clientCIDR: '10.96.0.0/16', serverAddress: '10.96.0.1:443' },
    ]);
    expect(serverAddressFor(address, addresses)).toBe('10.96.0.1:443');
  });

  test('other errors are thrown', async () => {
    const exchange: Exchange = async () => ({ status: 500, headers: {}, body: { kind: 'empty' } });
    await expect(discover(createClient({ transport: { exchange }, user }))).rejects.toMatchObject({
      status: { code: 500 },
    });
  });
});

describe('CachedDiscovery', () => {
  function memoryFiles(clock: VirtualClock) {
    const files = new Map<string, { text: string; modifiedAt: number }>();
    const seam: DiscoveryFiles = {
      read: async (name) => files.get(name),
      write: async (name, text) => void files.set(name, { text, modifiedAt: clock.now() }),
    };
    return { files, seam };
  }

  test.each([
    { name: 'po', resource: 'pods' },
    { name: 'Deployments.apps', resource: 'deployments' },
    { name: 'deploy', resource: 'deployments' },
    { name: 'ing', resource: 'ingresses' },
    { name: 'nonsense', resource: undefined },
  ])('finds $resource by $name', async ({ name, resource }) => {
    const { clock, exchange } = await server();
    const discovery = new CachedDiscovery({ client: createClient({ transport: { exchange }, user }), clock });
    expect((await discovery.find(name))?.resource).toBe(resource);
  });

  test.each([
    { groupVersion: 'v1', status: 403, says: [] },
    { groupVersion: 'v1', status: 404, says: [] },
    { groupVersion: 'v1', status: 500, says: 'InternalError' },
    { groupVersion: 'apps/v1', status: 404, says: 'NotFound' },
    { groupVersion: '', status: 200, says: 'group version' },
  ])('DI-5 $status for $groupVersion is $says', async ({ groupVersion, status, says }) => {
    const exchange: Exchange = async () => ({ status, headers: {}, body: { kind: 'empty' } });
    const read = discoverVersion(createClient({ transport: { exchange } }), groupVersion);
    const outcome = await read.then(
      ({ resources }) => resources,
      (error: Error) => reasonOf(error) ?? error.message,
    );
    if (Array.isArray(says)) expect(outcome).toEqual(says);
    else expect(outcome).toContain(says);
  });

  test('DI-9 DI-10 requests discovery once, keeps files for ten minutes, and requests it again after that', async () => {
    const { clock, exchange, requests } = await server();
    const { files, seam } = memoryFiles(clock);
    const client = createClient({ transport: { exchange }, user });
    const fresh = () => new CachedDiscovery({ client, clock, files: seam });
    const first = fresh();
    await Promise.all([first.find('po'), first.find('deploy')]);
    expect(requests.length).toBe(2);
    expect(files.has('apps/v1/serverresources.json')).toBe(true);
    await fresh().find('po');
    expect(requests.length).toBe(2);
    await clock.advance(600_001);
    await fresh().find('po');
    expect(requests.length).toBe(4);
  });

  test('a response to a request from before the invalidation is cached neither in memory nor in files', async () => {
    const { clock, exchange, requests } = await server();
    const { files, seam } = memoryFiles(clock);
    let held: Promise<void> | undefined;
    const slow: Exchange = async (request) => {
      const wait = held;
      const answer = await exchange(request);
      await wait;
      return answer;
    };
    const client = createClient({ transport: { exchange: slow }, user });
    const discovery = new CachedDiscovery({ client, clock, files: seam });

    let letEarlyGo: () => void = () => undefined;
    held = new Promise<void>((resolve) => {
      letEarlyGo = resolve;
    });
    const early = discovery.resources();
    await vi.waitFor(() => expect(requests.length).toBe(2));
    held = undefined;
    discovery.invalidate();
    const later = await discovery.resources();
    expect(requests.length).toBe(4);
    files.clear();
    letEarlyGo();
    expect(await early).not.toBe(later);
    expect(files.size).toBe(0);
    expect(await discovery.resources()).toBe(later);
    expect(requests.length).toBe(4);
  });

  test('DI-10 requests the server once more for resources that the files do not have', async () => {
    const { clock, exchange, requests } = await server();
    const { files, seam } = memoryFiles(clock);
    const client = createClient({ transport: { exchange }, user });
    await new CachedDiscovery({ client, clock, files: seam }).find('po');
    files.set('apps/v1/serverresources.json', {
      text: '{"groupVersion":"apps/v1","resources":[]}',
      modifiedAt: clock.now(),
    });
    const later = new CachedDiscovery({ client, clock, files: seam });
    expect((await later.find('deploy'))?.resource).toBe('deployments');
    expect(requests.length).toBe(4);
  });
});

describe('clients of resources from discovery', () => {
  test('DY-1 DY-4 any object finds its resource', async () => {
    const { clock, exchange } = await server();
    const client = createClient({ transport: { exchange }, user });
    const discovery = new CachedDiscovery({ client, clock });
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'default' },
      data: { k: 'v' },
    };
    const created = await (await clientFor(object, { client, discovery })).create(object);
    expect(created['data']).toEqual({ k: 'v' });
    await expect(clientFor({ apiVersion: 'x/v1', kind: 'Y' }, { client, discovery })).rejects.toThrow(
      'no matches for kind "Y" in version "x/v1"',
    );
  });

  test('metadata alone is served over bytes', async () => {
    const { exchange } = await server();
    await createClient({ transport: { exchange }, user })
      .configMaps('default')
      .create({ metadata: { name: 'a' }, data: { k: 'v' } });
    const bytes = createClient({ transport: { exchange: (request) => exchange({ ...request, peer: { user } }) } });
    const one = await bytes.metadata(refs.configMaps, 'default').get('a');
    const list = await bytes.metadata(refs.configMaps, 'default').list();
    expect([one.kind, 'data' in one, list.items.map((item) => 'data' in item)]).toEqual([
      'PartialObjectMetadata',
      false,
      [false],
    ]);
  });

  test('the scale of a resource can be read and set', async () => {
    const requests: ApiRequest[] = [];
    const exchange: Exchange = async (request) => {
      requests.push(request);
      return { status: 200, headers: {}, body: { kind: 'value', value: { spec: { replicas: 2 } } } };
    };
    const scale = scaleClient(createClient({ transport: { exchange }, user }), refs.deployments, 'default');
    expect((await scale.get('web')).spec?.replicas).toBe(2);
    await scale.set('web', 5);
    const path = '/apis/apps/v1/namespaces/default/deployments/web/scale';
    expect(
      requests.map(({ method, path, body }) => ({ method, path, value: body?.kind === 'value' && body.value })),
    ).toEqual([
      { method: 'GET', path, value: false },
      { method: 'PATCH', path, value: { spec: { replicas: 5 } } },
    ]);
  });
});
