import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { bundle } from '../bundle.js';
import { busybox, whyNoContainerd } from './containerd.js';
import { nodeForTests } from './node-for-tests.js';
import { PodVersions } from './pod-versions.js';
import { podOf } from './real-node.js';

const whyNot = whyNoContainerd();
const limitMs = 300_000;
const forever = 'trap exit TERM; while :; do sleep 0.1; done';
const restarts = '{.status.containerStatuses[0].restartCount}';
const ready = '{.status.conditions[?(@.type=="Ready")].status}';
const container = (name: string, script: string, more: object = {}) => ({
  name,
  image: busybox,
  command: ['sh', '-c', script],
  ...more,
});

/** Expectations of upstream's sig-node conformance tests on statuses, gRPC servers and WebSockets. */
describe.skipIf(whyNot)(`statuses of pods on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  const machine = nodeForTests({ limitMs });

  test(
    '[sig-node] InitContainer and Container Runtime: no status on the way runs ahead',
    async () => {
      using versions = new PodVersions(machine.containerd, machine.node, 'run=test');
      const inits = (...scripts: string[]) => ({
        initContainers: scripts.map((script, index) => container(`init${index + 1}`, script)),
      });
      const counted = 'echo x >> /v/n; n=$(wc -l < /v/n); [ $n -eq 1 ] && exit 1; [ $n -eq 2 ] && exit 0; ';
      const volumes = [{ name: 'v', emptyDir: { medium: 'Memory' } }];
      const mounts = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
      await machine.node.create(
        podOf('fails-always', busybox, forever, { ...inits('exit 1', 'true'), restartPolicy: 'Always' }),
        podOf('fails-once', busybox, 'true', inits('true', 'exit 1')),
        podOf('succeeds', busybox, 'true', inits('true', 'true')),
        podOf('restarts', busybox, `${counted}${forever}`, { restartPolicy: 'Always', volumes }, mounts),
      );
      await machine.node.until('pod/fails-once', '{.status.phase}', /^Failed$/, limitMs);
      await machine.node.until('pod/succeeds', '{.status.phase}', /^Succeeded$/, limitMs);
      await machine.node.until(
        'pod/fails-always',
        '{.status.initContainerStatuses[0].restartCount}',
        /^[2-9]/,
        limitMs,
      );
      await machine.node.until('pod/restarts', `${restarts} ${ready}`, /^2 True$/, limitMs);
      await expect.poll(() => versions.of('restarts').at(-1)?.status?.containerStatuses?.[0]?.restartCount).toBe(2);

      for (const name of ['fails-always', 'fails-once'])
        for (const { status } of versions.of(name))
          for (const { state } of status?.containerStatuses ?? [])
            expect([name, state?.waiting?.reason]).toEqual([name, 'PodInitializing']);
      for (const { status } of versions.of('fails-always')) {
        const [first, second] = status?.initContainerStatuses ?? [];
        if (first) expect(first.state?.terminated?.exitCode).not.toBe(0);
        if (second) expect(second.state?.waiting?.reason).toBe('PodInitializing');
      }
      for (const { status } of [...versions.of('succeeds'), ...versions.of('fails-once')]) {
        const statuses = status?.initContainerStatuses;
        if (!statuses) continue;
        const isDone = statuses.every(({ state }) => state?.terminated?.exitCode === 0);
        const condition = status?.conditions?.find(({ type }) => type === 'Initialized');
        expect([condition?.status, statuses.every((one) => one.ready)]).toEqual([isDone ? 'True' : 'False', isDone]);
      }
      const initialized =
        '{.status.conditions[?(@.type=="Initialized")].reason}: {.status.conditions[?(@.type=="Initialized")].message}';
      expect(await machine.node.must('get', 'pod', 'fails-once', '-o', `jsonpath=${initialized}`)).toBe(
        'ContainersNotInitialized: containers with incomplete status: [init2]',
      );
      // The tests wait for the count alone, and then check once whether the pod is ready.
      for (const { status } of versions.of('restarts')) {
        const [one] = status?.containerStatuses ?? [];
        if (one?.restartCount === 2) expect([one.ready, Object.keys(one.state ?? {})]).toEqual([true, ['running']]);
      }
      await machine.node.must('delete', 'pod', 'fails-always', 'fails-once', 'succeeds', 'restarts');
    },
    limitMs,
  );

  test(
    '[sig-node] KubeletManagedEtcHosts should test kubelet managed /etc/hosts file',
    async () => {
      const volumes = [{ name: 'h', hostPath: { path: '/etc/hosts', type: 'FileOrCreate' } }];
      const original = { name: 'h', mountPath: '/etc/hosts-original' };
      const print = 'head -n 1 /etc/hosts; cmp -s /etc/hosts /etc/hosts-original && echo same || echo different';
      const managed = container('managed', print, { volumeMounts: [original] });
      const own = container('own', print, { volumeMounts: [original, { name: 'h', mountPath: '/etc/hosts' }] });
      await machine.node.create(
        podOf('hosts', busybox, '', { volumes, containers: [managed, own] }),
        podOf('hosts-of-node', busybox, '', { volumes, containers: [managed], hostNetwork: true }),
      );
      for (const name of ['hosts', 'hosts-of-node'])
        await machine.node.until(`pod/${name}`, '{.status.phase}', /^Succeeded$/);
      expect(await machine.node.must('logs', 'hosts', '-c', 'managed')).toBe(
        '# Kubernetes-managed hosts file.\ndifferent\n',
      );
      expect(await machine.node.must('logs', 'hosts', '-c', 'own')).toMatch(/\nsame\n$/);
      expect(await machine.node.must('logs', 'hosts-of-node')).not.toContain('# Kubernetes-managed hosts file.\n');
    },
    limitMs,
  );

  test(
    '[sig-node] Probing container should and should *not* be restarted with a GRPC liveness probe',
    async () => {
      // The health service of containerd itself is one of Go's gRPC, as that of the test image is.
      const args = [bundle(new URL('relay.ts', import.meta.url)), '5001', machine.containerd.socket];
      const relay = spawn(...machine.containerd.insideArguments(process.execPath, args), {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(relay.stdout, 'data');
      try {
        const spec = { hostNetwork: true, restartPolicy: 'Always', terminationGracePeriodSeconds: 0 };
        const probe = (grpc: object) => ({
          livenessProbe: { grpc, initialDelaySeconds: 2, periodSeconds: 1, timeoutSeconds: 20, failureThreshold: 1 },
        });
        await machine.node.create(
          podOf('grpc-good', busybox, forever, spec, probe({ port: 5001 })),
          podOf('grpc-unknown', busybox, forever, spec, probe({ port: 5001, service: 'nobody' })),
          podOf('grpc-wrong', busybox, forever, spec, probe({ port: 2333 })),
        );
        for (const name of ['grpc-unknown', 'grpc-wrong'])
          await machine.node.until(`pod/${name}`, restarts, /^[1-9]/, limitMs);
        await wait(3_000);
        await machine.node.until('pod/grpc-good', `${restarts} ${ready}`, /^0 True$/);
        await machine.node.must('delete', 'pod', 'grpc-good', 'grpc-unknown', 'grpc-wrong');
      } finally {
        relay.kill();
      }
    },
    limitMs,
  );

  test(
    '[sig-node] Pods should support remote command execution and logs over websockets',
    async () => {
      await machine.node.create(podOf('alive', busybox, `echo container is alive; ${forever}`));
      await machine.node.until('pod/alive', ready, /^True$/);
      await expect.poll(() => machine.node.must('logs', 'alive'), { timeout: limitMs }).toBe('container is alive\n');
      const program = bundle(new URL('web-socket-caller.ts', import.meta.url));
      const read = async (path: string, protocol: string): Promise<number[][]> => {
        const url = `/api/v1/namespaces/default/pods/alive/${path}`;
        const args = [program, join(machine.node.dataDir, 'admin.kubeconfig'), url, protocol];
        const { code, stdout, stderr } = await machine.containerd.inside(process.execPath, args, { timeoutMs: 60_000 });
        expect([code, stderr]).toEqual([0, '']);
        return JSON.parse(stdout);
      };
      const command = 'exec?command=echo&command=remote+execution+test&container=c&stderr=1&stdout=1';
      const messages = await read(command, 'channel.k8s.io');
      // The first protocol has no word for success: whatever is not output is empty.
      for (const [channel, ...payload] of messages) if (channel !== 1) expect(payload).toEqual([]);
      const output = messages.flatMap(([channel, ...payload]) => (channel === 1 ? payload : []));
      expect(Buffer.from(output).toString()).toBe('remote execution test\n');
      const log = (await read('log?container=c', 'binary.k8s.io')).flat();
      expect(Buffer.from(log).toString()).toBe('container is alive\n');
      await machine.node.must('delete', 'pod', 'alive');
    },
    limitMs,
  );
});
