import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { hasLogind } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../running-cluster.js';
import { busybox, TestContainerd, whyNoContainerd } from './containerd.js';
import { podOf } from './real-node.js';

const whyNot = whyNoContainerd() ?? (cpus().length < 2 ? 'needs two CPUs' : undefined);
const limitMs = 300_000;
const forever = 'trap exit TERM; while :; do sleep 0.1; done';
const allowed = ['grep', 'Cpus_allowed_list', '/proc/1/status'];

/** A kubelet in a separate process, with a configuration file, beside a control plane without nodes. */
describe.skipIf(whyNot)(`policies of a kubelet on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  let containerd: TestContainerd;
  const processes: ChildProcess[] = [];

  beforeAll(async () => {
    containerd = await TestContainerd.start();
    const { folder, endpoint, cgroupRoot } = containerd;
    const where = ['--data-dir', join(folder, 'cluster'), '--listen', '127.0.0.1:6443'];
    await launch(['up', ...where, '--runtime', 'simulated', '--nodes', '0'], /^coracle is ready/);
    const configuration = {
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      cgroupRoot,
      failSwapOn: false,
      cpuManagerPolicy: 'static',
      reservedSystemCPUs: '0',
      topologyManagerPolicy: 'restricted',
      shutdownGracePeriod: '60s',
      shutdownGracePeriodCriticalPods: '10s',
    };
    writeFileSync(join(folder, 'kubelet.yaml'), JSON.stringify(configuration));
    const files = ['--kubeconfig', kubeconfig(), '--config', join(folder, 'kubelet.yaml')];
    const runtime = ['--root-dir', join(folder, 'kubelet'), '--container-runtime-endpoint', endpoint];
    await launch(['kubelet', ...files, ...runtime, '--hostname-override', 'pinned'], /is running as node pinned/);
    await until(['get', 'serviceaccount', 'default', '-o', 'name'], /default/);
  }, limitMs);
  afterAll(async () => {
    for (const child of processes) await end(child, 'SIGKILL');
    await containerd?.[Symbol.asyncDispose]();
  }, limitMs);

  const kubeconfig = () => join(containerd.folder, 'cluster', 'admin.kubeconfig');
  const kubectl = (args: readonly string[], input?: string) =>
    containerd.inside('kubectl', ['--kubeconfig', kubeconfig(), ...args], {
      timeoutMs: 120_000,
      ...(input !== undefined && { input }),
    });

  async function launch(args: readonly string[], ready: RegExp): Promise<void> {
    const [command, all] = containerd.insideArguments(process.execPath, [program, ...args]);
    const child = spawn(command, all, { stdio: ['ignore', 'pipe', 'ignore'] });
    processes.push(child);
    for await (const line of createInterface({ input: child.stdout }))
      if (ready.test(line)) {
        child.stdout.resume();
        return;
      }
    throw new Error(`coracle ${args[0]} ended before it was ready`);
  }

  async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }

  async function until(args: readonly string[], pattern: RegExp): Promise<void> {
    const end = Date.now() + limitMs;
    for (;;) {
      const { stdout, stderr } = await kubectl(args);
      if (pattern.test(stdout)) return;
      if (Date.now() > end) throw new Error(`kubectl ${args.join(' ')} says ${stdout || stderr}, not ${pattern}`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }

  async function create(pod: object): Promise<void> {
    const { code, stderr } = await kubectl(['create', '-f', '-'], JSON.stringify(pod));
    if (code !== 0) throw new Error(stderr);
  }

  const path = (pod: string, what: string) => ['get', 'pod', pod, '-o', `jsonpath=${what}`];
  const ready = '{.status.conditions[?(@.type=="Ready")].status}';
  const whole = (count: number) => {
    const amounts = { cpu: String(count), memory: '32Mi' };
    return { resources: { requests: amounts, limits: amounts } };
  };

  test('a kubelet in a process of its own shows that process in its metrics', { timeout: limitMs }, async () => {
    const { stdout } = await kubectl(['get', '--raw', '/api/v1/nodes/pinned/proxy/metrics']);
    for (const line of [
      /^kubernetes_build_info\{.*git_version="v1\.36/m,
      /^process_start_time_seconds \d/m,
      /^rest_client_requests_total\{code="201",method="POST",host="/m,
      /^kubelet_runtime_operations_total\{operation_type="version"\} [1-9]/m,
      /^kubelet_node_name\{node="pinned"\} 1$/m,
    ])
      expect(stdout).toMatch(line);
  });

  test(
    'a container that requests whole CPUs has them exclusively, and others are moved away',
    async () => {
      await create(podOf('shared', busybox, forever));
      await until(path('shared', ready), /^True$/);
      await until(['exec', 'shared', '--', ...allowed], new RegExp(`\t0-${cpus().length - 1}\n`));
      await create(podOf('own', busybox, forever, {}, whole(1)));
      await until(path('own', ready), /^True$/);
      await until(['exec', 'own', '--', ...allowed], /\t1\n/);
      await until(['exec', 'shared', '--', ...allowed], cpus().length === 2 ? /\t0\n/ : /\t0,2/);
      const state = JSON.parse(readFileSync(join(containerd.folder, 'kubelet/cpu_manager_state'), 'utf8'));
      expect(Object.values(state.entries)).toEqual([{ c: '1' }]);
      await until(path('shared', '{.status.containerStatuses[0].restartCount}'), /^0$/);
    },
    limitMs,
  );

  test(
    'a pod that cannot have CPUs near to each other fails',
    async () => {
      const pod = podOf('big', busybox, forever, { nodeName: 'pinned' }, whole(cpus().length - 1));
      await create(pod);
      const template = '{.status.phase} {.status.reason} {.status.message}';
      await until(path('big', template), /^Failed (TopologyAffinityError|OutOfcpu) Pod was rejected: /);
    },
    limitMs,
  );

  test.skipIf(hasLogind())(
    'a kubelet that is asked to end where no logind tells of shutdowns ends its pods first',
    async () => {
      const kubelet = processes[1];
      if (kubelet) await end(kubelet, 'SIGTERM');
      const template = '{.status.phase} {.status.reason} {.status.conditions[?(@.type=="DisruptionTarget")].reason}';
      for (const pod of ['own', 'shared']) await until(path(pod, template), /^Failed Terminated TerminationByKubelet$/);
      const condition = '{.status.conditions[?(@.type=="Ready")].message}';
      await until(['get', 'node', 'pinned', '-o', `jsonpath=${condition}`], /^node is shutting down$/);
    },
    limitMs,
  );
});
