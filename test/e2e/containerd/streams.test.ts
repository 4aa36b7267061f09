import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox, whyNoContainerd } from './containerd.js';
import { CoracleOnContainerd } from './coracle-on-containerd.js';

const reason = whyNoContainerd();
const script =
  'for i in 1 2 3; do echo line $i; done; echo bye > /dev/termination-log; while read x; do echo got $x; [ $x = die ] && exit 4; done; sleep 1000';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'talk' },
  spec: {
    terminationGracePeriodSeconds: 0,
    containers: [{ name: 'c', image: busybox, stdin: true, command: ['sh', '-c', script] }],
  },
};

describe.skipIf(reason !== undefined)(
  `kubectl on containerd${reason ? ` (${reason})` : ''}`,
  { timeout: 120_000 },
  () => {
    let cluster: CoracleOnContainerd;

    beforeAll(async () => {
      cluster = await CoracleOnContainerd.start();
      await cluster.must(['apply', '-f', '-'], { input: JSON.stringify(pod) });
      await cluster.must(['wait', 'pod/talk', '--for=condition=Ready', '--timeout=60s']);
    }, 180_000);

    afterAll(async () => {
      await cluster?.[Symbol.asyncDispose]();
    }, 120_000);

    test('logs: the last lines, times, bytes, since', async () => {
      expect(await cluster.must(['logs', 'talk', '--tail=1'])).toBe('line 3\n');
      expect(await cluster.must(['logs', 'talk', '--limit-bytes=4'])).toBe('line');
      expect(await cluster.must(['logs', 'talk', '--timestamps', '--tail=1'])).toMatch(/^\d{4}-\S+\.\d+Z line 3\n$/);
      expect(await cluster.must(['logs', 'talk', '--since=1h'])).toBe('line 1\nline 2\nline 3\n');
      expect((await cluster.kubectl(['logs', 'talk', '-p'])).stderr).toContain(
        'previous terminated container "c" in pod "talk" not found',
      );
    });

    test('attach and logs -f until the container ends; the instance before; the termination message', async () => {
      const following = spawn(...cluster.kubectlArguments(['logs', '-f', 'talk', '--tail=1']), {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let followed = '';
      following.stdout.on('data', (chunk: Buffer) => {
        followed += chunk;
      });
      await expect.poll(() => followed, { timeout: 30_000 }).toBe('line 3\n');
      const ended = once(following, 'close');
      await cluster.kubectl(['attach', '-i', 'talk'], { input: 'die\n', timeoutMs: 60_000 });
      await ended;
      expect(followed).toBe('line 3\ngot die\n');
      await cluster.must([
        'wait',
        'pod/talk',
        '--for=jsonpath={.status.containerStatuses[0].restartCount}=1',
        '--timeout=80s',
      ]);
      await cluster.must([
        'wait',
        'pod/talk',
        '--for=jsonpath={.status.containerStatuses[0].ready}=true',
        '--timeout=80s',
      ]);
      expect(await cluster.must(['logs', 'talk', '--previous', '--tail=1'])).toBe('got die\n');
      const path = '{.status.containerStatuses[0].lastState.terminated}';
      const last = JSON.parse(await cluster.must(['get', 'pod', 'talk', '-o', `jsonpath=${path}`]));
      expect(last).toMatchObject({ exitCode: 4, reason: 'Error', message: 'bye\n' });
    });

    test.each(['true', 'false'])('exec, over WebSocket: %s', async (webSockets) => {
      const env = { KUBECTL_REMOTE_COMMAND_WEBSOCKETS: webSockets };
      const { stdout } = await cluster.kubectl(['exec', '-i', 'talk', '--', 'cat'], { input: 'abc', env });
      expect(stdout).toBe('abc');
      const failed = await cluster.kubectl(['exec', 'talk', '--', 'sh', '-c', 'echo no >&2; exit 3'], { env });
      expect([failed.code, failed.stderr]).toEqual([3, 'no\ncommand terminated with exit code 3\n']);
    });

    test('cp', async () => {
      const [there, back] = [join(cluster.dataDir, 'there'), join(cluster.dataDir, 'back')];
      writeFileSync(there, Buffer.alloc(300_000, 'x'));
      await cluster.must(['cp', there, 'talk:/tmp/file']);
      await cluster.must(['cp', 'talk:/tmp/file', back]);
      expect(readFileSync(back).equals(readFileSync(there))).toBe(true);
    });

    test('port-forward', async () => {
      await cluster.must(['exec', 'talk', '--', 'sh', '-c', 'mkdir /w; echo page > /w/i; httpd -p 8080 -h /w']);
      const forwarding = spawn(...cluster.kubectlArguments(['port-forward', 'pod/talk', '18080:8080']), {
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      await once(forwarding.stdout, 'data');
      const { stdout } = await cluster.containerd.inside('curl', ['-s', '-m', '30', 'http://127.0.0.1:18080/i']);
      forwarding.kill();
      expect(stdout).toBe('page\n');
    });

    test('debug', async () => {
      const args = [
        'debug',
        'talk',
        '-c',
        'debugger',
        `--image=${busybox}`,
        '--target=c',
        '--',
        'sh',
        '-c',
        'echo in debug',
      ];
      await cluster.must(args);
      const ended = '--for=jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}=0';
      await cluster.must(['wait', 'pod/talk', ended, '--timeout=80s']);
      expect(await cluster.must(['logs', 'talk', '-c', 'debugger'])).toBe('in debug\n');
    });

    test('statistics and metrics through the API server', async () => {
      const node = (await cluster.must(['get', 'nodes', '-o', 'jsonpath={.items[0].metadata.name}'])).trim();
      const summary = JSON.parse(await cluster.must(['get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`]));
      const [talk] = summary.pods.filter(({ podRef }: { podRef: { name: string } }) => podRef.name === 'talk');
      expect(summary.node.memory.workingSetBytes).toBeGreaterThan(0);
      expect(talk.containers.filter(({ name }: { name: string }) => name === 'c')).toHaveLength(1);
      expect(talk.memory.workingSetBytes).toBeGreaterThan(0);
      const metrics = await cluster.must(['get', '--raw', `/api/v1/nodes/${node}/proxy/metrics/resource`]);
      expect(
        metrics.match(/^container_memory_working_set_bytes\{container="c",namespace="default",pod="talk"\}/gm),
      ).toHaveLength(1);
      const cadvisor = await cluster.must(['get', '--raw', `/api/v1/nodes/${node}/proxy/metrics/cadvisor`]);
      const id = await cluster.must([
        'get',
        'pod',
        'talk',
        '-o',
        'jsonpath={.status.containerStatuses[0].containerID}',
      ]);
      const own = id.replace('containerd://', '');
      expect(cadvisor).toMatch(
        new RegExp(
          `^container_cpu_usage_seconds_total\\{container="c",cpu="total",id="/[^"]+${own}[^"]*",image="[^"]+",`,
          'm',
        ),
      );
      const kubelet = await cluster.must(['get', '--raw', `/api/v1/nodes/${node}/proxy/metrics`]);
      expect(kubelet).toMatch(/^kubelet_running_containers\{container_state="running"\} [1-9]/m);
      expect(kubelet).toMatch(/^kubelet_runtime_operations_total\{operation_type="run_podsandbox"\} [1-9]/m);
    });

    test('the port of the kubelet delegates authorization to the API server', async () => {
      const ask = async (...more: string[]) =>
        (await cluster.containerd.inside('curl', ['-sk', 'https://127.0.0.1:10250/pods', ...more])).stdout;
      expect(await ask()).toBe('Unauthorized');
      const token = (await cluster.must(['create', 'token', 'default'])).trim();
      const withToken = ['-H', `Authorization: Bearer ${token}`];
      expect(await ask(...withToken)).toContain(
        'Forbidden (user=system:serviceaccount:default:default, verb=get, resource=nodes, subresource(s)=[pods proxy])',
      );
      await cluster.must(['create', 'clusterrole', 'pods-of-nodes', '--verb=get', '--resource=nodes/pods']);
      await cluster.must([
        'create',
        'clusterrolebinding',
        'pods-of-nodes',
        '--clusterrole=pods-of-nodes',
        '--serviceaccount=kube-system:default',
      ]);
      const other = (await cluster.must(['create', 'token', 'default', '-n', 'kube-system'])).trim();
      expect(await ask('-H', `Authorization: Bearer ${other}`)).toContain('"kind":"PodList"');
    });
  },
);
