import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cgroupsBelow } from './cgroups.js';
import { busybox, busyboxAsNobody, mountsBelow, whyNoContainerd } from './containerd.js';
import { nodeForTests } from './node-for-tests.js';
import { podOf } from './real-node.js';

const whyNot = whyNoContainerd();
const phase = '{.status.phase}';
const ended = /^(Succeeded|Failed)$/;
const terminated = '{.status.containerStatuses[0].state.terminated';

const volumes = [{ name: 'e', emptyDir: {} }];
const volumeMounts = [{ name: 'e', mountPath: '/e' }];
/** A container with the pod's volume. */
const shell = (name: string, script: string, more: object = {}) => ({
  name,
  image: busybox,
  command: ['sh', '-c', script],
  volumeMounts,
  ...more,
});

/** The third run finds `/e/third`. */
const countRuns = 'test -e /e/second && touch /e/third; touch /e/second; exit 1';

describe.skipIf(whyNot)(`pods on containerd${whyNot ? `: ${whyNot}` : ''}`, () => {
  const machine = nodeForTests();

  /** The output of a pod that runs `script` to its end. */
  async function outputOf(name: string, script: string, spec: object = {}, container: object = {}): Promise<string> {
    await machine.node.create(podOf(name, busybox, script, spec, container));
    await machine.node.until(`pod/${name}`, phase, ended);
    return (await machine.node.kubectl(['logs', name])).stdout;
  }

  test('users, groups, capabilities and a read-only root', async () => {
    const securityContext = {
      runAsUser: 1000,
      runAsGroup: 2000,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
    };
    const script = 'id -u; id -g; id -G; touch /x 2>&1; grep -E "CapBnd|NoNewPrivs|Seccomp:" /proc/self/status';
    const spec = { securityContext: { supplementalGroups: [3000], seccompProfile: { type: 'RuntimeDefault' } } };
    const output = await outputOf('secured', script, spec, { securityContext });
    expect(output).toMatch(/^1000\n2000\n2000 3000\n.*Read-only file system/);
    expect(output).toMatch(/CapBnd:\s+0{16}/);
    expect(output).toMatch(/NoNewPrivs:\s+1/);
    expect(output).toMatch(/Seccomp:\s+2/);
  }, 240_000);

  test('limits as cgroups, environment, command expansion, hosts file and resolver', async () => {
    const resources = { limits: { memory: '64Mi', cpu: '500m' } };
    const container = {
      resources,
      env: [{ name: 'GREETING', value: 'hello' }],
      args: ['-', '$(GREETING)', '$$(GREETING)'],
    };
    const script = [
      'echo "$1 $2"',
      'cat /sys/fs/cgroup/memory/memory.limit_in_bytes /sys/fs/cgroup/memory.max 2>/dev/null',
      'cat /etc/hosts /etc/resolv.conf; hostname',
    ].join('; ');
    const spec = {
      hostname: 'named',
      subdomain: 'sub',
      hostAliases: [{ ip: '192.0.2.9', hostnames: ['alias.example'] }],
      dnsPolicy: 'None',
      dnsConfig: { nameservers: ['192.0.2.53'], searches: ['a.example'], options: [{ name: 'ndots', value: '2' }] },
    };
    const output = await outputOf('limited', script, spec, container);
    expect(output).toContain('hello $(GREETING)');
    expect(output).toContain('67108864');
    expect(output).toContain('192.0.2.9\talias.example');
    expect(output).toMatch(/nameserver 192\.0\.2\.53/);
    expect(output).toMatch(/search a\.example/);
    expect(output).toMatch(/named\.sub\.default\.svc\.cluster\.local\tnamed/);
  }, 240_000);

  test('exit codes, termination messages and memory that runs out', async () => {
    const hungry = 'x=a; while :; do x=$x$x; done';
    await machine.node.create(
      podOf('failing', busybox, 'echo last words > /dev/termination-log; exit 7'),
      podOf('hungry', busybox, hungry, {}, { resources: { limits: { memory: '16Mi' } } }),
      podOf('rootless', busyboxAsNobody, 'id -u', { securityContext: { runAsNonRoot: true } }),
      podOf('refused', busybox, 'id -u', { securityContext: { runAsNonRoot: true } }),
    );
    await machine.node.until('pod/failing', `${terminated}.exitCode}`, /^7$/);
    await machine.node.until('pod/failing', `${terminated}.message}`, /last words/);
    await machine.node.until('pod/hungry', `${terminated}.reason}`, /^OOMKilled$/);
    await machine.node.until('pod/rootless', phase, /^Succeeded$/);
    const waiting = '{.status.containerStatuses[0].state.waiting';
    await machine.node.until('pod/refused', `${waiting}.reason}`, /^CreateContainerConfigError$/);
    await machine.node.until('pod/refused', `${waiting}.message}`, /image will run as root/);
  }, 240_000);

  test('a pod that writes more than it may is evicted: to a volume, to its logs, to its own files', async () => {
    const zeros = 'dd if=/dev/zero bs=1M count=2 2>/dev/null';
    const limits = { resources: { limits: { 'ephemeral-storage': '1Mi' } } };
    const spec = { volumes: [{ name: 'e', emptyDir: { sizeLimit: '1Mi' } }], restartPolicy: 'Always' };
    await machine.node.create(
      podOf('volume-filler', busybox, `${zeros} of=/e/file; sleep 3600`, spec, { volumeMounts }),
      podOf('log-filler', busybox, `${zeros} | tr '\\0' x | fold -w 1000; sleep 3600`, {}, limits),
      podOf('layer-filler', busybox, `${zeros} of=/file; sleep 3600`, {}, limits),
    );
    const message = '{.status.reason}: {.status.message}';
    await machine.node.until(
      'pod/volume-filler',
      message,
      /^Evicted: Usage of EmptyDir volume "e" exceeds the limit "1Mi"/,
    );
    for (const name of ['log-filler', 'layer-filler'])
      await machine.node.until(
        `pod/${name}`,
        message,
        /^Evicted: Pod ephemeral local storage usage exceeds the total limit/,
      );
  }, 240_000);

  test('init containers, sidecars, hooks and probes', async () => {
    const initContainers = [
      shell('first', 'echo first >> /e/order'),
      shell('side', 'echo side >> /e/order; trap exit TERM; while :; do sleep 0.1; done', { restartPolicy: 'Always' }),
    ];
    const serving = 'echo main >> /e/order; mkdir /w; touch /w/index.html; exec httpd -f -p 8080 -h /w';
    const main = {
      volumeMounts,
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo hook >> /e/order'] } } },
      readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1, timeoutSeconds: 20 },
    };
    await machine.node.create(podOf('ordered', busybox, serving, { volumes, initContainers }, main));
    await machine.node.until('pod/ordered', '{.status.conditions[?(@.type=="Ready")].status}', /^True$/);
    const { stdout } = await machine.node.kubectl(['exec', 'ordered', '-c', 'c', '--', 'cat', '/e/order']);
    expect(stdout.split('\n').slice(0, 2)).toEqual(['first', 'side']);
    expect(stdout).toContain('hook');
  }, 240_000);

  test('an exit with the code of a rule restarts all containers in place', async () => {
    const restartPolicyRules = [{ action: 'RestartAllContainers', exitCodes: { operator: 'In', values: [42] } }];
    const initContainers = [shell('init', 'echo init >> /e/order')];
    // It ends once, with the code of the rule, and then runs on. It does not handle SIGTERM, as `sleep` does not.
    const triggering = 'grep -q trigger /e/order && exec sleep 3600; echo trigger >> /e/order; sleep 1; exit 42';
    const containers = [
      shell('main', 'echo main >> /e/order; exec sleep 3600'),
      shell('trigger', triggering, { restartPolicy: 'Never', restartPolicyRules }),
    ];
    const spec = { restartPolicy: 'Never', terminationGracePeriodSeconds: 60, volumes, initContainers, containers };
    await machine.node.create({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'together' }, spec });
    const address = await machine.node.until('pod/together', '{.status.podIP}', /./);
    await machine.node.until('pod/together', '{.status.containerStatuses[*].restartCount}', /^1 1$/, 30_000);
    await machine.node.until('pod/together', '{.status.containerStatuses[*].ready}', /^true true$/, 30_000);
    expect(await machine.node.until('pod/together', '{.status.podIP}', /./)).toBe(address);
    await machine.node.until(
      'pod/together',
      '{.status.containerStatuses[*].lastState.terminated.exitCode}',
      /^137 42$/,
    );
    await machine.node.until('pod/together', '{.status.initContainerStatuses[0].lastState.terminated.exitCode}', /^0$/);
    const { stdout } = await machine.node.kubectl(['exec', 'together', '-c', 'main', '--', 'cat', '/e/order']);
    expect(stdout.split('\n').filter((line) => line === 'init')).toHaveLength(2);
    const uid = await machine.node.until('pod/together', '{.metadata.uid}', /./);
    expect(readdirSync(join(machine.node.dataDir, `pod-logs/default_together_${uid}/main`))).toEqual(['1.log']);
    const links = readdirSync(join(machine.node.dataDir, 'containers'));
    expect(links.filter((link) => link.startsWith('together_default_main-'))).toHaveLength(1);
    expect(stdout.split('\n').filter((line) => line === 'main')).toHaveLength(2);
    await machine.node.until(
      'pod/together',
      '{.status.conditions[?(@.type=="AllContainersRestarting")].status}',
      /^False$/,
    );
  }, 120_000);

  let runs = 0;
  test('a SIGKILL of everything but containers in the middle of starts and deletions loses and duplicates nothing', async () => {
    const { pods, rounds } = process.env['CORACLE_SOAK'] ? { pods: 30, rounds: 10 } : { pods: 8, rounds: 3 };
    // A repeated run has its own pods and folder, and everything is already running.
    const id = `k${++runs}`;
    await machine.containerd.launch();
    await machine.node.launch();
    const names = (round: number) => Array.from({ length: pods }, (_, index) => `${id}-${round}-${index}`);
    const folder = join(machine.containerd.folder, id);
    const volumes = [{ name: 'h', hostPath: { path: folder, type: 'DirectoryOrCreate' } }];
    const volumeMounts = [{ name: 'h', mountPath: '/h' }];
    const make = (name: string) =>
      podOf(name, busybox, `echo x >> /h/${name}; exec sleep 3600`, { volumes }, { volumeMounts });
    for (let round = 0; round < rounds; round++) {
      await machine.node.create(...names(round).map(make));
      if (round > 0) await machine.node.kubectl(['delete', 'pod', '--wait=false', ...names(round - 1)]);
      await new Promise((resolve) => setTimeout(resolve, 400 * (round + 1)));
      await machine.node.kill();
      // Containers outlive it as long as it finds their shims again in time: see the timeouts of its configuration.
      if (round === 1) await machine.containerd.kill();
      if (round === 1) await machine.containerd.launch();
      await machine.node.launch();
      for (const name of names(round)) await machine.node.until(`pod/${name}`, phase, /^Running$/);
    }
    for (const name of readdirSync(folder))
      expect([name, readFileSync(join(folder, name), 'utf8')]).toEqual([name, 'x\n']);
  }, 1_200_000);

  test('the logs of containers have links for agents, and go with their containers', async () => {
    const script = `echo run; test -e /e/third && sleep 1000; ${countRuns}`;
    const spec = { restartPolicy: 'Always', volumes };
    await machine.node.create(podOf('logged', busybox, script, spec, { volumeMounts }));
    await machine.node.until('pod/logged', '{.status.containerStatuses[0].restartCount}', /^2$/);
    await machine.node.until('pod/logged', '{.status.containerStatuses[0].state.running.startedAt}', /./);
    const { stdout } = await machine.node.kubectl(['get', 'pod', 'logged', '-o', 'json']);
    const { metadata, status } = JSON.parse(stdout);
    const { name, containerID, lastState } = status.containerStatuses[0];
    const idOf = (id: string) => id.replace('containerd://', '');
    const linkTo = (id: string) => `logged_default_${name}-${idOf(id)}.log`;
    const links = join(machine.node.dataDir, 'containers');
    const ofPod = () => readdirSync(links).filter((link) => link.startsWith('logged_'));
    const expected = [linkTo(containerID), linkTo(lastState.terminated.containerID)].sort();
    await expect.poll(() => ofPod().sort(), { timeout: 60_000 }).toEqual(expected);
    expect(readFileSync(join(links, linkTo(containerID)), 'utf8')).toMatch(/ stdout F run\n$/);
    const folder = join(machine.node.dataDir, `pod-logs/default_logged_${metadata.uid}`, name);
    expect(readdirSync(folder).sort()).toEqual(['1.log', '2.log']);
  }, 240_000);

  test('nothing of deleted pods is left', async () => {
    await machine.node.kubectl(['delete', 'pod', '--all', '--wait=true', '--timeout=110s']);
    await expect.poll(() => machine.containerd.containers(), { timeout: 60_000 }).toEqual([]);
    const podCgroups = () =>
      cgroupsBelow(machine.containerd.cgroupRoot).filter((path) => /\/pod[0-9a-f-]+$/.test(path));
    await expect.poll(podCgroups, { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => mountsBelow(join(machine.node.dataDir, 'kubelet')), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => readdirSync(join(machine.node.dataDir, 'kubelet/pods')), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => readdirSync(join(machine.node.dataDir, 'pod-logs')), { timeout: 60_000 }).toEqual([]);
    await expect.poll(() => readdirSync(join(machine.node.dataDir, 'containers')), { timeout: 60_000 }).toEqual([]);
    const addresses = join(machine.containerd.folder, 'addresses');
    const taken = readdirSync(addresses).flatMap((name) => readdirSync(join(addresses, name)));
    expect(taken.filter((name) => /^\d+\./.test(name))).toEqual([]);
    const links = async () => (await machine.containerd.inside('ip', ['-o', 'link'])).stdout;
    await expect.poll(links, { timeout: 60_000 }).not.toContain('veth');
  }, 400_000);
});
