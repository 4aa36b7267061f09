import { describe, expect, test } from 'vitest';
import { busybox, whyNoContainerd } from './containerd.js';
import { nodeForTests } from './node-for-tests.js';
import { podOf } from './real-node.js';

const whyNot = whyNoContainerd();
const limitMs = 300_000;
const forever = 'trap exit TERM; while :; do sleep 0.1; done';
const first = '{.status.containerStatuses[0]';
const ready = '{.status.conditions[?(@.type=="Ready")].status}';

type Amounts = Readonly<Record<string, string>>;
interface Sized {
  readonly requests?: Amounts;
  readonly limits?: Amounts;
}

const both = (cpu: string, memory: string): Sized => ({ requests: { cpu, memory }, limits: { cpu, memory } });

/** The resizes of the conformance tests. Each is reverted unless that is impossible. */
const resizes: readonly { name: string; from: readonly Sized[]; to: readonly Sized[]; back: boolean }[] = [
  {
    name: 'guaranteed pods with multiple containers: net increase',
    from: [both('20m', '35Mi'), both('22m', '37Mi'), both('24m', '39Mi')],
    to: [both('25m', '40Mi'), both('27m', '42Mi'), both('19m', '34Mi')],
    back: true,
  },
  {
    name: 'guaranteed pods with multiple containers: CPU and memory in different directions',
    from: [both('20m', '35Mi'), both('22m', '37Mi'), both('24m', '39Mi')],
    to: [both('25m', '35Mi'), both('17m', '42Mi'), both('29m', '44Mi')],
    back: true,
  },
  {
    name: 'burstable pods: limits and requests are added',
    from: [
      { requests: { cpu: '20m' } },
      { requests: { memory: '35Mi' } },
      { requests: { cpu: '20m', memory: '35Mi' } },
      { requests: { cpu: '20m' } },
      { requests: { memory: '35Mi' } },
    ],
    to: [
      { requests: { cpu: '25m' }, limits: { cpu: '35m' } },
      { requests: { memory: '30Mi' }, limits: { memory: '50Mi' } },
      { requests: { cpu: '20m', memory: '30Mi' } },
      { requests: { cpu: '15m', memory: '35Mi' } },
      { requests: { cpu: '20m', memory: '40Mi' } },
    ],
    back: false,
  },
  {
    name: 'burstable pods: resize with equivalents',
    from: [{ requests: { cpu: '2m' }, limits: { cpu: '10m' } }],
    to: [{ requests: { cpu: '1m' }, limits: { cpu: '5m' } }],
    back: true,
  },
];

describe.skipIf(whyNot)(`life of pods on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  const machine = nodeForTests({ limitMs });

  const until = (pod: string, path: string, pattern: RegExp) =>
    machine.node.until(`pod/${pod}`, path, pattern, limitMs);

  /**
   * Resizes a pod by name, waits until the kubelet reports that it is done, and compares the resources of its
   * containers.
   */
  async function resized(pod: string, sizes: readonly Sized[]): Promise<void> {
    const containers = sizes.map((resources, index) => ({ name: `c${index}`, resources }));
    const patch = JSON.stringify({ spec: { containers } });
    await machine.node.must('patch', 'pod', pod, '--subresource', 'resize', '--type', 'strategic', '-p', patch);
    const expected = JSON.stringify(sizes.map(inOrder));
    const phase = async () => {
      const { status, metadata } = JSON.parse(await machine.node.must('get', 'pod', pod, '-o', 'json'));
      const types: string[] = status.conditions.map(({ type }: { type: string }) => type);
      const isDone = status.observedGeneration === metadata.generation && !types.some((type) => /Resize/.test(type));
      const has = status.containerStatuses.map(({ resources }: { resources: Sized }) => inOrder(resources));
      return isDone ? JSON.stringify(has) : 'under way';
    };
    await expect.poll(phase, { timeout: limitMs, interval: 200 }).toBe(expected);
    for (const [index, size] of sizes.entries()) await hasCgroup(pod, index, size);
    expect(
      await machine.node.must('get', 'pod', pod, '-o', `jsonpath=${'{.status.containerStatuses[*].restartCount}'}`),
    ).toMatch(/^[0 ]+$/);
  }

  async function hasCgroup(pod: string, index: number, { limits, requests }: Sized): Promise<void> {
    const files = 'memory/memory.limit_in_bytes cpu/cpu.cfs_quota_us cpu/cpu.shares memory.max cpu.max';
    const script = `cd /sys/fs/cgroup; for f in ${files}; do [ -e $f ] && echo $f $(cat $f); done; true`;
    const text = await machine.node.must('exec', pod, '-c', `c${index}`, '--', 'sh', '-c', script);
    const [memory, cpu] = [limits?.['memory'], limits?.['cpu']];
    if (memory)
      expect(text).toMatch(new RegExp(`memory.(limit_in_bytes|max) ${Number.parseInt(memory, 10) * 2 ** 20}\\b`));
    const quota = Math.max(1_000, Number.parseInt(cpu ?? '0', 10) * 100);
    if (cpu) expect(text).toMatch(new RegExp(`cpu.(cfs_quota_us|max) ${quota}\\b`));
    const milli = Number.parseInt(requests?.['cpu'] ?? '0', 10);
    if (text.includes('cpu.shares'))
      expect(text).toContain(`cpu.shares ${Math.max(2, Math.floor((milli * 1024) / 1000))}\n`);
  }

  test.each(resizes)(
    '[sig-node] Pod InPlace Resize Container: $name',
    async ({ name, from, to, back }) => {
      const pod = name.replace(/[^a-z]+/gi, '-').toLowerCase();
      const containers = from.map((resources, index) => ({
        name: `c${index}`,
        image: busybox,
        command: ['sh', '-c', forever],
        resources,
      }));
      await machine.node.create(podOf(pod, busybox, '', { containers, restartPolicy: 'OnFailure' }));
      await until(pod, ready, /^True$/);
      await resized(pod, to);
      if (back) await resized(pod, from);
      await machine.node.must('delete', 'pod', pod);
    },
    limitMs,
  );

  test(
    '[sig-node] Pods Extended: the generation counts updates of the spec, and the kubelet reports the observed one',
    async () => {
      await machine.node.create(podOf('generation', busybox, forever));
      await until('generation', '{.metadata.generation} {.status.observedGeneration}', /^1 1$/);
      for (let count = 1; count <= 20; count++) {
        const patch = { spec: { activeDeadlineSeconds: 90_000 - count } };
        await machine.node.must('patch', 'pod', 'generation', '-p', JSON.stringify(patch));
      }
      await until('generation', '{.metadata.generation} {.status.observedGeneration}', /^21 21$/);
      const conditions = await machine.node.must(
        'get',
        'pod',
        'generation',
        '-o',
        'jsonpath={.status.conditions[*].observedGeneration}',
      );
      expect(conditions).toMatch(/^(21 ?){5}$/);
      await machine.node.must('delete', 'pod', 'generation');
    },
    limitMs,
  );

  test(
    '[sig-node] Ephemeral Containers: several are started in a pod that runs',
    async () => {
      await machine.node.create(podOf('debugged', busybox, forever));
      await until('debugged', ready, /^True$/);
      for (const name of ['debugger', 'second']) {
        const container = { name, image: busybox, command: ['sh', '-c', `echo polo; ${forever}`] };
        const patch = JSON.stringify({ spec: { ephemeralContainers: [container] } });
        await machine.node.must(
          'patch',
          'pod',
          'debugged',
          '--subresource',
          'ephemeralcontainers',
          '--type',
          'strategic',
          '-p',
          patch,
        );
        const running = `{.status.ephemeralContainerStatuses[?(@.name=="${name}")].state.running.startedAt}`;
        await until('debugged', running, /^\d/);
        await expect.poll(() => machine.node.must('logs', 'debugged', '-c', name), { timeout: limitMs }).toBe('polo\n');
      }
      await machine.node.must('delete', 'pod', 'debugged');
    },
    limitMs,
  );

  test(
    '[sig-node] Container Runtime: a container that exits has the expected status, by restart policy',
    async () => {
      const volumes = [{ name: 'v', emptyDir: {} }];
      const counted = { volumeMounts: [{ name: 'v', mountPath: '/v' }] };
      const count = 'echo x >> /v/n; n=$(wc -l < /v/n); ';
      await machine.node.create(
        podOf(
          'always',
          busybox,
          `${count}[ $n -lt 3 ] && exit 1; ${forever}`,
          { restartPolicy: 'Always', volumes },
          counted,
        ),
        podOf(
          'on-failure',
          busybox,
          `${count}[ $n -lt 2 ] && exit 1; exit 0`,
          { restartPolicy: 'OnFailure', volumes },
          counted,
        ),
        podOf('never', busybox, 'exit 1'),
      );
      const template = `{.status.phase} ${first}.restartCount} ${first}.ready}`;
      await until('always', template, /^Running 2 true$/);
      await until('on-failure', template, /^Succeeded 1 false$/);
      await until('never', template, /^Failed 0 false$/);
      await machine.node.must('delete', 'pod', 'always', 'on-failure', 'never');
    },
    limitMs,
  );

  test(
    '[sig-node] InitContainer: init containers run one after the other, and fail again and again',
    async () => {
      const init = (name: string, script: string) => ({ name, image: busybox, command: ['sh', '-c', script] });
      const spec = (...initContainers: object[]) => ({ initContainers, restartPolicy: 'Always' });
      await machine.node.create(
        podOf('inits', busybox, forever, spec(init('init1', 'true'), init('init2', 'true'))),
        podOf('failing-inits', busybox, forever, spec(init('init1', 'false'), init('init2', 'true'))),
      );
      await until('inits', ready, /^True$/);
      const ends =
        '{.status.initContainerStatuses[*].state.terminated.reason} {.status.initContainerStatuses[*].ready}';
      await until('inits', ends, /^Completed Completed true true$/);
      await until('failing-inits', '{.status.initContainerStatuses[0].restartCount}', /^[3-9]/);
      const template = `{.status.phase} {.status.conditions[?(@.type=="Initialized")].reason} ${first}.state.waiting.reason}`;
      await until('failing-inits', template, /^Pending ContainersNotInitialized PodInitializing$/);
      const message = await machine.node.must(
        'get',
        'pod',
        'failing-inits',
        '-o',
        'jsonpath={.status.conditions[?(@.type=="Initialized")].message}',
      );
      expect(message).toBe('containers with incomplete status: [init1 init2]');
      await machine.node.must('delete', 'pod', 'inits', 'failing-inits');
    },
    limitMs,
  );

  test(
    '[sig-node] Variable Expansion: a failing subpath expansion can be modified while the pod waits',
    async () => {
      const container = {
        env: [{ name: 'FOLDER', valueFrom: { fieldRef: { fieldPath: "metadata.annotations['folder']" } } }],
        volumeMounts: [{ name: 'v', mountPath: '/v', subPathExpr: '$(FOLDER)' }],
      };
      const pod = podOf('modified', busybox, forever, { volumes: [{ name: 'v', emptyDir: {} }] }, container);
      await machine.node.create({ ...pod, metadata: { name: 'modified', annotations: { folder: '/absolute' } } });
      await until('modified', `${first}.state.waiting.reason}`, /^CreateContainerConfigError$/);
      await machine.node.must('annotate', 'pod', 'modified', '--overwrite', 'folder=relative');
      await until('modified', ready, /^True$/);
      await machine.node.must('delete', 'pod', 'modified');
    },
    limitMs,
  );

  test(
    '[sig-node] Probing container: restarts are counted up, and readiness waits for its initial delay',
    async () => {
      const always = { restartPolicy: 'Always', terminationGracePeriodSeconds: 0 };
      const exec = (command: readonly string[]) => ({ exec: { command }, periodSeconds: 1, timeoutSeconds: 20 });
      await machine.node.create(
        podOf('failing-life', busybox, forever, always, { livenessProbe: { ...exec(['false']), failureThreshold: 1 } }),
        podOf('delayed', busybox, forever, always, { readinessProbe: { ...exec(['true']), initialDelaySeconds: 10 } }),
      );
      await until('delayed', ready, /^True$/);
      const times = `${first}.state.running.startedAt} {.status.conditions[?(@.type=="Ready")].lastTransitionTime}`;
      const [startedAt = '', readyAt = ''] = (await until('delayed', times, /./)).split(' ');
      expect(Date.parse(readyAt) - Date.parse(startedAt)).toBeGreaterThanOrEqual(10_000);
      await until('delayed', `${first}.restartCount}`, /^0$/);
      for (const count of [/^[1-9]/, /^[2-9]/]) await until('failing-life', `${first}.restartCount}`, count);
      await machine.node.must('delete', 'pod', 'failing-life', 'delayed');
    },
    limitMs,
  );
});

/** With sorted keys. Clients distinguish an absent list from an empty one. */
function inOrder({ limits, requests }: Sized): readonly unknown[] {
  return [limits, requests].map((amounts) => amounts && Object.entries(amounts).sort());
}
