import { type Cluster, startCluster } from '@coracle/cluster';
import { runKubectl } from '@coracle/kubectl';
import { systemClock } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { memoryHost } from '../../../packages/kubectl/src/command/memory-host.fixture.js';
import type { Outcome } from '../run.js';
import { RunningCluster } from '../running-cluster.js';
import { EtcdCluster, hasEtcd } from '../store/etcd-process.js';
import { Kubectl, ownKubectl } from './kubectl.js';
import { serverCases } from './server-cases.js';

const timeout = 180_000;

type RunCommand = (words: readonly string[], input: string) => Promise<Outcome>;

/** Every case on one server, command by command. */
function testCases(run: RunCommand): void {
  // A retried case gets a new namespace.
  let attempts = 0;
  test.each(serverCases)('$name', { timeout }, async ({ steps }) => {
    const namespace = `case-${++attempts}`;
    expect(await run(['create', 'namespace', namespace], '')).toMatchObject({ code: 0 });
    for (const { words, input = '', out, err, code = 0 } of steps) {
      const text = typeof input === 'string' ? input : JSON.stringify(input);
      const done = await run([...words, '--namespace', namespace], text);
      const line = `kubectl ${words.join(' ')}: ${done.stderr}${done.stdout}`;
      expect(done.code, line).toBe(code);
      if (typeof out === 'string') expect(done.stdout).toBe(out);
      else if (out) expect(done.stdout).toMatch(out);
      if (typeof err === 'string') expect(done.stderr).toContain(err);
      else if (err) expect(done.stderr).toMatch(err);
    }
  });
}

describe('kubectl and the server in this process', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, nodes: 0 });
  }, timeout);
  afterAll(() => cluster?.stop());

  testCases(async (words, input) => {
    const host = { ...memoryHost({}, input), clock: systemClock };
    const code = await runKubectl(words, host, { client: cluster.client });
    return { code, stdout: host.out(), stderr: host.err() };
  });

  test('another user needs a separate client', async () => {
    const host = memoryHost();
    expect(await runKubectl(['get', 'pods', '--as', 'nobody'], host, { client: cluster.client })).toBe(1);
    expect(host.err()).toContain('--as cannot be used with a client that was given');
  });
});

describe.skipIf(!hasEtcd)('kubectl and `coracle apiserver` on a real etcd, over the network', () => {
  let etcd: EtcdCluster;
  let server: RunningCluster;
  let kubectl: Kubectl;
  beforeAll(async () => {
    etcd = await EtcdCluster.start(1);
    const command = ['apiserver', '--bind-address', '127.0.0.1', '--secure-port', '0'];
    const flags = ['--store', 'etcd', '--etcd-servers', etcd.endpoints.join(',')];
    server = await RunningCluster.start({ command, flags });
    kubectl = new Kubectl(server, 'default', { program: ownKubectl });
  }, timeout);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
    await etcd?.[Symbol.asyncDispose]();
  }, timeout);

  testCases((words, input) => kubectl.run(words, input));

  test('another user may do less', { timeout }, async () => {
    expect(await kubectl.run(['auth', 'can-i', 'create', 'deployments.apps', '--as', 'nobody'])).toMatchObject({
      code: 1,
      stdout: 'no\n',
    });
  });
});
