import type { Pod } from '@coracle/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startCluster } from './start-cluster.js';

async function start() {
  const cluster = await startCluster({ listen: false, clock: 'virtual', seed: 1 });
  onTestFinished(() => cluster.stop());
  const run = async (
    name: string,
    spec: Partial<NonNullable<Pod['spec']>['containers'][number]> = {},
    more: object = {},
  ) => {
    const containers = [{ name: 'c', image: 'app:1', ...spec }];
    await cluster.client
      .pods('default')
      .create({ metadata: { name, labels: { app: name } }, spec: { containers, ...more } });
    await cluster.settled();
  };
  const pod = (name: string) => cluster.client.pods('default').get(name);
  const logs = async (name: string) => {
    const uid = (await pod(name)).metadata.uid ?? '';
    return cluster.nodes
      .runtimeOf('coracle-node-1')
      ?.logsOf(uid, 'c')
      .map(({ stream, text }) => `${stream}: ${text}`);
  };
  return { cluster, run, pod, logs };
}

test('a function runs as a container: environment, arguments, log and exit code', async () => {
  const { cluster, run, pod, logs } = await start();
  cluster.image('app:1', ({ env, args, log, stderr }) => {
    log(`${env['COLOUR']} ${args.join(' ')}`);
    stderr('bad\n');
    return 3;
  });
  const env = [{ name: 'COLOUR', value: 'red' }];
  await run('job', { env, command: ['work'], args: ['$(COLOUR)'] }, { restartPolicy: 'Never' });
  const { status } = await pod('job');
  expect(status?.phase).toBe('Failed');
  expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(3);
  expect(await logs('job')).toEqual(['stdout: red work red', 'stderr: bad']);
});

test("one that throws ends with 1 and says why; time is the cluster's", async () => {
  const { cluster, run, pod, logs } = await start();
  cluster.image('app:1', async ({ sleep }) => {
    await sleep(60_000);
    throw new Error('no luck');
  });
  await run('late', {}, { restartPolicy: 'Never' });
  expect((await pod('late')).status?.phase).toBe('Running');
  await cluster.clock.advance('61s');
  await cluster.settled();
  expect((await pod('late')).status?.phase).toBe('Failed');
  expect(await logs('late')).toEqual(['stderr: no luck']);
});

test("HTTP at the pod's address: through its service, for its probes, until it ends", async () => {
  const { cluster, run, pod } = await start();
  let healthy = true;
  cluster.image('app:1', ({ serve, signal, pod: { metadata } }) => {
    serve(8080, ({ url }) =>
      new URL(url).pathname === '/healthz'
        ? new Response('', { status: healthy ? 200 : 500 })
        : Response.json({ pod: metadata.name }),
    );
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)));
  });
  const readinessProbe = { httpGet: { path: '/healthz', port: 8080 }, periodSeconds: 1, failureThreshold: 1 };
  await run('web', { readinessProbe, ports: [{ containerPort: 8080 }] });
  await cluster.client.services('default').create({
    metadata: { name: 'web' },
    spec: { selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
  });
  await cluster.clock.advance('5s');
  await cluster.settled();
  const answer = await cluster.network.fetch('http://web.default/');
  expect(await answer.json()).toEqual({ pod: 'web' });
  healthy = false;
  await cluster.clock.advance('5s');
  await cluster.settled();
  const ready = (await pod('web')).status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  expect(ready).toBe('False');
  await expect(cluster.network.fetch('http://web.default/')).rejects.toThrow('ECONNREFUSED');
});

test('a probe that is redirected to another host succeeds with a warning', async () => {
  const { cluster, run, pod } = await start();
  const targets: Readonly<Record<string, string>> = { '/': '/local', '/local': 'http://0.0.0.0/' };
  cluster.image('app:1', ({ serve, signal }) => {
    serve(8080, ({ url }) => {
      const location = targets[new URL(url).pathname] ?? '/';
      return new Response('found', { status: 302, headers: { location } });
    });
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)));
  });
  await run('web', { readinessProbe: { httpGet: { port: 8080 } }, ports: [{ containerPort: 8080 }] });
  await cluster.clock.advance('1s');
  await cluster.settled();
  expect((await pod('web')).status?.containerStatuses?.[0]?.ready).toBe(true);
  const { items } = await cluster.client.events('default').list();
  const warnings = items.filter(({ reason }) => reason === 'ProbeWarning');
  expect(warnings.map(({ type, message }) => `${type} ${message}`)).toEqual([
    'Warning Readiness probe warning: Probe terminated redirects, Response body: found',
  ]);
});

test.each([
  { name: 'takes notice', looks: true, code: 7 },
  { name: 'does not look', looks: false, code: 143 },
])('one that is stopped and $name', async ({ looks, code }) => {
  const { cluster, run, pod } = await start();
  cluster.image('app:1', (context) =>
    looks
      ? new Promise((resolve) => context.signal.addEventListener('abort', () => resolve(7)))
      : new Promise<number>(() => undefined),
  );
  await run('ending', {}, { restartPolicy: 'Never', activeDeadlineSeconds: 10 });
  await cluster.clock.advance('11s');
  await cluster.settled();
  const { status } = await pod('ending');
  expect(status?.reason).toBe('DeadlineExceeded');
  expect(status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(code);
});

test('input from attach', async () => {
  const { cluster, run, logs } = await start();
  cluster.image('app:1', async ({ stdin, log }) => {
    for await (const chunk of stdin) log(`heard ${new TextDecoder().decode(chunk).trim()}`);
  });
  await run('reader', { stdin: true });
  const channel = await cluster.client.connect({
    path: '/api/v1/namespaces/default/pods/reader/attach',
    query: 'stdin=true&stdout=true',
    protocols: ['v5.channel.k8s.io'],
  });
  channel.send(Uint8Array.of(0, ...new TextEncoder().encode('hello\n')));
  await vi.waitFor(async () => expect(await logs('reader')).toEqual(['stdout: heard hello']), { timeout: 20_000 });
  channel[Symbol.dispose]();
});

test('the proxy of the API reaches functions in pods, and the page of pods that have none', async () => {
  const { cluster, run } = await start();
  cluster.image('app:1', ({ serve, signal }) => {
    serve(8080, async (request) => Response.json({ path: new URL(request.url).pathname, sent: await request.text() }));
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(0)));
  });
  await run('server');
  await run('plain', { image: 'other', ports: [{ containerPort: 80 }] });
  const at = (name: string) => `/api/v1/namespaces/default/pods/${name}/proxy`;
  const posted = await cluster.client.raw('POST', `${at('server:8080')}/a`, { body: { x: 1 } });
  expect([posted.status, posted.body]).toEqual([200, { path: '/a', sent: '{"x":1}' }]);
  const page = await cluster.client.raw('GET', `${at('plain:80')}/b`);
  expect([page.status, page.body]).toEqual([200, 'This is the simulated pod default/plain, port 80.\nGET /b\n']);
  expect((await cluster.client.raw('GET', `${at('plain:81')}/`)).status).toBe(405);
  expect((await cluster.client.raw('GET', `${at('https:plain:80')}/`)).status).toBe(405);
});
