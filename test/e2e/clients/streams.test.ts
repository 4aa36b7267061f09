import { fileURLToPath } from 'node:url';
import { refs } from '@coracle/api';
import { silentLogger } from '@coracle/base';
import { createClient, exec, portForward, type Transport, UpgradeRefused, waitForObject } from '@coracle/client';
import { createHttpTransport, loadConnection, systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { clientOf } from '../client-of.js';
import { isInstalled, run } from '../run.js';
import { RunningCluster } from '../running-cluster.js';

const where = { namespace: 'default', pod: 'web' };
const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
/** Debian's own, which has the packages that Debian installs. */
const python = '/usr/bin/python3';

let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await RunningCluster.start({ flags: ['--nodes', '1'] });
  await using connected = await clientOf(cluster.kubeconfig);
  const pods = connected.client.pods('default');
  await pods.create({ metadata: { name: 'web' }, spec: { containers: [{ name: 'web', image: 'nginx' }] } });
  await waitForObject({
    client: connected.client,
    clock: systemClock,
    ref: refs.pods,
    namespace: 'default',
    name: 'web',
    until: (pod) => pod?.status?.phase === 'Running',
    timeoutMs: 10_000,
  });
});
afterAll(() => cluster[Symbol.asyncDispose]());

test.skipIf(!isInstalled(python, ['-c', 'import kubernetes']))(
  'the official Python client runs commands and forwards ports',
  async () => {
    const script = fileURLToPath(new URL('python_streams.py', import.meta.url));
    const { stdout, stderr } = await run(python, [script, cluster.kubeconfig], { timeoutMs: 30_000 });
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({
      output: 'out\nerr\n',
      code: 5,
      echoed: 'hello',
      page: 'This is the simulated pod default/web, port 80.\nGET /py\n',
    });
  },
);

/** As if a proxy in between did not support WebSocket. */
function withoutWebSocket(transport: Transport): Transport {
  return {
    ...transport,
    connect: async (request) => {
      if (request.over === undefined) throw new UpgradeRefused(new Error('no WebSocket here'));
      return transport.connect!(request);
    },
  };
}

describe.each([
  { way: 'WebSocket', through: (transport: Transport) => transport },
  { way: 'SPDY', through: withoutWebSocket },
])('our own client over $way', ({ through }) => {
  let transport: Transport & Disposable;
  beforeAll(async () => {
    const connection = await loadConnection({ path: cluster.kubeconfig });
    transport = await createHttpTransport({ connection, logger: silentLogger });
  });
  afterAll(() => transport[Symbol.dispose]());
  const client = () => createClient({ transport: through(transport) });

  test('runs commands', async () => {
    async function* stdin() {
      for (let count = 0; count < 100; count++) yield new Uint8Array(10_000).fill(65);
    }
    let bytes = 0;
    const stdout = (chunk: Uint8Array) => {
      bytes += chunk.length;
    };
    expect(await exec(client(), { ...where, command: ['cat'], stdin: stdin(), stdout })).toEqual({ exitCode: 0 });
    expect(bytes).toBe(1_000_000);
    expect(await exec(client(), { ...where, command: ['sh', '-c', 'exit 6'], stdout })).toEqual({ exitCode: 6 });
    await expect(exec(client(), { ...where, pod: 'none', command: ['true'], stdout })).rejects.toThrow(
      'pods "none" not found',
    );
  });

  test('forwards ports', async () => {
    let got = '';
    const ended = new Promise<Error | undefined>((resolve) => {
      void portForward(client(), {
        ...where,
        port: 80,
        onData: (chunk) => {
          got += textOf(chunk);
        },
        onEnd: resolve,
      }).then((connection) => connection.send(new TextEncoder().encode('GET /own HTTP/1.0\r\n\r\n')));
    });
    expect(await ended).toBeUndefined();
    expect(got).toContain('GET /own\n');
  });
});
