import type { ApiRequest, ApiResponse } from '@coracle/apimachinery';
import type { ApiServer } from '@coracle/apiserver';
import { systemClock } from '@coracle/platform-nodejs';
import { startPermissiveApiServer } from '@coracle/testing';
import { bench, describe } from 'vitest';

/** Number of concurrent requests, as from as many connections. */
const clients = 32;
const pods = '/api/v1/namespaces/default/pods';
const peer = { user: { name: 'admin', groups: ['system:masters'] } };
const headers = { accept: 'application/json', 'content-type': 'application/json', 'user-agent': 'bench/1' };
const encoder = new TextEncoder();

for (const objects of [1000, 20_000]) {
  describe(`API server with ${objects} pods, without a socket`, () => {
    let opened: Promise<ApiServer> | undefined;
    const server = () =>
      (opened ??= startPermissiveApiServer({ clock: systemClock }).then((one) => fill(one, objects)));
    let next = objects;

    bench(`${clients} creates of a pod at once`, async () => {
      const { exchange } = await server();
      await atOnce(() => send(exchange({ ...request('POST', pods), body: body(makePod(next++)) }), 201));
    });
    bench(`${clients} merge patches at once`, async () => {
      const { exchange } = await server();
      await atOnce(() => {
        const patch = { metadata: { annotations: { count: String(next++) } } };
        const type = { 'content-type': 'application/merge-patch+json' };
        const path = `${pods}/pod-${next % objects}`;
        return send(exchange({ ...request('PATCH', path, type), body: body(patch) }), 200);
      });
    });
    bench(`${clients} gets at once`, async () => {
      const { exchange } = await server();
      await atOnce(() => send(exchange(request('GET', `${pods}/pod-${next++ % objects}`)), 200));
    });
    bench('list of all', async () => {
      const { exchange } = await server();
      await send(exchange(request('GET', pods)), 200);
    });
    bench('list by a label that one in ten has', async () => {
      const { exchange } = await server();
      await send(exchange({ ...request('GET', pods), query: 'labelSelector=tier%3Dt3' }), 200);
    });
  });
}

async function fill(server: ApiServer, objects: number): Promise<ApiServer> {
  for (let i = 0; i < objects; i++) {
    await send(server.exchange({ ...request('POST', pods), body: body(makePod(i)) }), 201);
  }
  return server;
}

async function atOnce(one: () => Promise<unknown>): Promise<void> {
  await Promise.all(Array.from({ length: clients }, one));
}

function request(method: string, path: string, more: Readonly<Record<string, string>> = {}): ApiRequest {
  return { method, path, query: '', headers: { ...headers, ...more }, peer };
}

function body(value: unknown): NonNullable<ApiRequest['body']> {
  return { kind: 'bytes', bytes: encoder.encode(JSON.stringify(value)) };
}

async function send(answer: Promise<ApiResponse>, bytes: number): Promise<void> {
  const { status } = await answer;
  if (status !== bytes) throw new Error(`answered ${status}, not ${bytes}`);
}

/** About 3 kB. */
function makePod(index: number): object {
  const container = (number: number) => ({
    name: `c${number}`,
    image: 'registry.example.com/team/image:v1.2.3',
    command: ['/bin/sh', '-c', 'sleep 1000000'],
    env: Array.from({ length: 8 }, (_, i) => ({ name: `VAR_${i}`, value: `value-${i}` })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '200m', memory: '256Mi' } },
    ports: [{ containerPort: 8080 + number, protocol: 'TCP' }],
    volumeMounts: [{ name: 'data', mountPath: '/data' }],
  });
  return {
    metadata: {
      name: `pod-${index}`,
      labels: { app: 'web', tier: `t${index % 10}` },
      annotations: { note: 'y'.repeat(400) },
    },
    spec: { containers: [container(0), container(1)], volumes: [{ name: 'data', emptyDir: {} }] },
  };
}
