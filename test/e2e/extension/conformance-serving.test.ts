import { refs } from '@coracle/api';
import type { KubeObject, WatchEvent } from '@coracle/apimachinery';
import { seededRandom } from '@coracle/base';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

interface Page {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly KubeObject[];
}

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 1, seed: 1 });
});
afterAll(() => cluster?.stop());

async function get(path: string, accept = 'application/json') {
  const { status, body } = await cluster.client.raw('GET', path, { headers: { accept } });
  return { status, body: body as never };
}

/** Upstream's tests of "Servers with support for API chunking". */
describe('chunks', () => {
  const total = 400;
  const templates = '/api/v1/namespaces/default/podtemplates';
  const random = seededRandom(3);
  const nameOf = (i: number) => `template-${String(i).padStart(4, '0')}`;

  beforeAll(async () => {
    const client = cluster.client.resource(refs.podTemplates, 'default');
    const spec = { containers: [{ name: 'test', image: 'test2' }] };
    for (let i = 0; i < total; i++)
      await client.create({ apiVersion: 'v1', kind: 'PodTemplate', metadata: { name: nameOf(i) }, template: { spec } });
  });

  const page = async (limit: number, token = ''): Promise<{ status: number; body: Page }> =>
    get(`${templates}?limit=${limit}${token && `&continue=${encodeURIComponent(token)}`}`);

  /** The pages from a token on, whose first object is that of number `found`; the revision that all of them are of. */
  async function readOn(token: string, found: number): Promise<string> {
    let next = token;
    let at = found;
    const revisions = new Set<string>();
    do {
      const limit = 1 + Math.floor(random.next() * (total / 10));
      const { metadata, items } = (await page(limit, next)).body;
      expect(items.length).toBeLessThanOrEqual(limit);
      expect(items.map((item) => item.metadata.name)).toEqual(items.map((_, i) => nameOf(at + i)));
      at += items.length;
      expect(metadata.remainingItemCount).toBe(metadata.continue === undefined ? undefined : total - at);
      revisions.add(metadata.resourceVersion);
      next = metadata.continue ?? '';
    } while (next !== '');
    expect([at, revisions.size]).toEqual([total, 1]);
    return [...revisions].join();
  }

  test('should return chunks of results for list calls', async () => {
    for (let i = 0; i < 3; i++) await readOn('', 0);
    expect((await page(total + 1)).body.items).toHaveLength(total);
  });

  test('should support continue listing from the last key if the original version has been compacted away', async () => {
    const first = await page(40);
    const token = first.body.metadata.continue ?? '';
    let answer = await page(40, token);
    for (let minutes = 0; answer.status === 200 && minutes < 60; minutes += 5) {
      await cluster.client.configMaps('default').create({ metadata: { name: `later-${minutes}` } });
      await cluster.clock.advance('5m');
      answer = await page(40, token);
    }
    expect(answer).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    const inconsistent = answer.body.metadata.continue ?? '';
    expect(inconsistent).not.toBe('');
    expect(await readOn(inconsistent, 40)).not.toBe(first.body.metadata.resourceVersion);
  });

  test('are served as tables, too', async () => {
    const accept = 'application/json;as=Table;v=v1beta1;g=meta.k8s.io';
    const { body: table } = await get(`${templates}?limit=2`, accept);
    const { metadata, rows } = table as { metadata: Page['metadata']; rows: { cells: unknown[] }[] };
    expect(rows.map(({ cells }) => cells[0])).toEqual([nameOf(0), nameOf(1)]);
    const next = encodeURIComponent(metadata.continue ?? '');
    const { body: rest } = await get(`${templates}?continue=${next}`, accept);
    expect((rest as { rows: { cells: unknown[] }[] }).rows[0]?.cells[0]).toBe(nameOf(2));
  });
});

/** Upstream's tests of "Watchers". */
describe('watches', () => {
  const maps = () => cluster.client.configMaps('default');
  const labelled = (name: string, label: string) => ({ metadata: { name, labels: { 'watch-this': label } } });

  function watch(selector: string, resourceVersion?: string): { seen: string[]; last: () => string } & Disposable {
    const seen: string[] = [];
    let last = '';
    const event = ({ type, object }: WatchEvent<KubeObject>) => {
      const { data } = object as { data?: Record<string, string> };
      seen.push(`${type} ${object.metadata.name} ${data?.['mutation'] ?? 0}`);
      last = String(object.metadata.resourceVersion ?? '');
    };
    const options = { labelSelector: `watch-this in (${selector})`, ...(resourceVersion && { resourceVersion }) };
    const opened = maps().openWatch(options, { event, end: () => undefined });
    return { seen, last: () => last, [Symbol.dispose]: () => opened[Symbol.dispose]() };
  }

  const mutate = async (name: string, mutation: number) =>
    maps().patch(name, { data: { mutation: String(mutation) } }, { type: 'merge' });

  test('should observe add, update, and delete watch notifications on configmaps', async () => {
    using a = watch('a');
    using b = watch('b');
    using both = watch('a,b');
    await cluster.settled();
    await maps().create(labelled('one', 'a'));
    await mutate('one', 1);
    await mutate('one', 2);
    await maps().delete('one');
    await maps().create(labelled('two', 'b'));
    await maps().delete('two');
    await cluster.settled();
    const ofA = ['ADDED one 0', 'MODIFIED one 1', 'MODIFIED one 2', 'DELETED one 2'];
    const ofB = ['ADDED two 0', 'DELETED two 0'];
    expect([a.seen, b.seen, both.seen]).toEqual([ofA, ofB, [...ofA, ...ofB]]);
  });

  test('should be able to start watching from a specific resource version, and from the last one observed', async () => {
    await maps().create(labelled('from', 'from'));
    const first = await mutate('from', 1);
    await mutate('from', 2);
    using before = watch('from', first.metadata.resourceVersion);
    await cluster.settled();
    const last = before.last();
    expect(before.seen).toEqual(['MODIFIED from 2']);
    before[Symbol.dispose]();
    await mutate('from', 3);
    await maps().delete('from');
    using after = watch('from', last);
    await cluster.settled();
    expect(after.seen).toEqual(['MODIFIED from 3', 'DELETED from 3']);
  });

  test('should observe an object deletion if it stops meeting the requirements of the selector', async () => {
    await maps().create(labelled('moves', 'here'));
    await mutate('moves', 1);
    using here = watch('here');
    await cluster.settled();
    const label = (value: string) =>
      maps().patch('moves', { metadata: { labels: { 'watch-this': value } } }, { type: 'merge' });
    await label('there');
    await mutate('moves', 2);
    await label('here');
    await mutate('moves', 3);
    await maps().delete('moves');
    await cluster.settled();
    const seen = ['ADDED moves 1', 'DELETED moves 1', 'ADDED moves 2', 'MODIFIED moves 3', 'DELETED moves 3'];
    expect(here.seen).toEqual(seen);
  });

  test('should receive events on concurrent watches in same order', async () => {
    const started = (await maps().list()).metadata.resourceVersion ?? '';
    const revisions = [started];
    for (let i = 0; i < 30; i++) {
      const made = await maps().create(labelled(`order-${i}`, 'order'));
      revisions.push(made.metadata.resourceVersion ?? '');
      if (i % 3 === 2) await maps().delete(`order-${i - 1}`);
    }
    const watches = revisions.map((revision) => watch('order', revision));
    await cluster.settled();
    const [all] = watches;
    for (const { seen } of watches) expect(seen).toEqual(all?.seen.slice(all.seen.length - seen.length));
    expect(all?.seen).toHaveLength(40);
    for (const one of watches) one[Symbol.dispose]();
  });
});

/** Upstream's tests of "Discovery", "AggregatedDiscovery", "server version" and "Table transformation". */
describe('discovery', () => {
  const stable: Readonly<Record<string, string>> = {
    'admissionregistration.k8s.io/v1': 'validatingwebhookconfigurations',
    'apiextensions.k8s.io/v1': 'customresourcedefinitions',
    'apiregistration.k8s.io/v1': 'apiservices',
    'apps/v1': 'deployments',
    'authentication.k8s.io/v1': 'tokenreviews',
    'authorization.k8s.io/v1': 'selfsubjectaccessreviews',
    'autoscaling/v1': 'horizontalpodautoscalers',
    'autoscaling/v2': 'horizontalpodautoscalers',
    'batch/v1': 'jobs',
    'certificates.k8s.io/v1': 'certificatesigningrequests',
    'coordination.k8s.io/v1': 'leases',
    'discovery.k8s.io/v1': 'endpointslices',
    'events.k8s.io/v1': 'events',
    'networking.k8s.io/v1': 'ingresses',
    'node.k8s.io/v1': 'runtimeclasses',
    'policy/v1': 'poddisruptionbudgets',
    'scheduling.k8s.io/v1': 'priorityclasses',
    'storage.k8s.io/v1': 'csinodes',
  };

  test('should locate the groupVersion and a resource within each APIGroup', async () => {
    for (const [groupVersion, resource] of Object.entries({ v1: 'namespaces', ...stable })) {
      const { body } = await get(groupVersion === 'v1' ? '/api/v1' : `/apis/${groupVersion}`);
      expect(body).toMatchObject({
        groupVersion,
        resources: expect.arrayContaining([expect.objectContaining({ name: resource })]),
      });
    }
  });

  test('should validate PreferredVersion for each APIGroup', async () => {
    const { groups } = (await get('/apis/')).body as { groups: { name: string }[] };
    for (const { name } of groups) {
      const { body } = await get(`/apis/${name}/`);
      const { versions, preferredVersion } = body as { versions: object[]; preferredVersion: object };
      expect(versions).toContainEqual(preferredVersion);
    }
  });

  test('should support raw aggregated discovery endpoint Accept headers', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    interface Groups {
      items: { metadata?: { name?: string }; versions: { version: string; resources: { resource: string }[] }[] }[];
    }
    const found = async (path: string) =>
      ((await get(path, accept)).body as Groups).items.flatMap(({ metadata, versions }) =>
        versions.flatMap(({ version, resources }) =>
          resources.map(({ resource }) => `${metadata?.name ? `${metadata.name}/` : ''}${version} ${resource}`),
        ),
      );
    expect(await found('/api')).toContain('v1 namespaces');
    const expected = Object.entries(stable).map(([groupVersion, resource]) => `${groupVersion} ${resource}`);
    expect(await found('/apis')).toEqual(expect.arrayContaining(expected));
  });

  test('should find the server version', async () => {
    const { body } = await get('/version');
    expect(body).toMatchObject({ major: expect.stringMatching(/^\d+$/), minor: expect.stringMatching(/^\d+\+?$/) });
  });

  test('should return a 406 for a backend which does not implement metadata', async () => {
    const { status } = await cluster.client.raw('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' },
      body: { spec: { nonResourceAttributes: { path: '/', verb: 'get' } } },
    });
    expect(status).toBe(406);
  });
});
