import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { busybox } from '../containerd/containerd.js';
import { canMakeRealNodes, NetworkNode } from './network-node.js';

/** The steps of upstream's tests of sig-apps and sig-scheduling that depend on when processes of a real node end. */
describe.skipIf(!canMakeRealNodes)('workloads on a real node as the conformance tests use them', () => {
  let node: NetworkNode;
  const folder = mkdtempSync(join(tmpdir(), 'coracle-workloads-'));
  const container = (script: string, more: object = {}) => ({
    name: 'c',
    image: busybox,
    command: ['sh', '-c', script],
    ...more,
  });
  const field = (object: string, path: string) => node.kubectl('get', object, '-o', `jsonpath={${path}}`);
  const merge = (object: string, patch: object) =>
    node.kubectl('patch', object, '--type=merge', `-p=${JSON.stringify(patch)}`);

  beforeAll(async () => {
    node = await NetworkNode.make();
    await node.until(/^$/, () => field('node/node1', '.spec.taints[*].key'));
  }, 240_000);
  afterAll(async () => {
    await node?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  const job = (name: string, script: string, spec: object) => {
    const data = { name: 'data', hostPath: { path: join(folder, name), type: 'DirectoryOrCreate' } };
    const containers = [container(script, { volumeMounts: [{ name: 'data', mountPath: '/data' }] })];
    const pod = { restartPolicy: 'Never', terminationGracePeriodSeconds: 1, volumes: [data], containers };
    const template = { metadata: { labels: { job: name } }, spec: pod };
    return {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name },
      spec: { parallelism: 2, completionMode: 'Indexed', ...spec, template },
    };
  };
  const conditions = (name: string) =>
    field(`job/${name}`, 'range .status.conditions[?(@.status=="True")]}{.type} {.reason};{end');

  test('a job ignores a pod that was evicted, and executes all indexes despite some failing', async () => {
    const first = 'if [ ! -e /data/foo ]; then touch /data/foo; sleep 1000; fi; exit 0';
    const others = 'if [ ! -e /data/foo ]; then sleep 1; exit 1; fi; exit 0';
    const rules = [
      { action: 'Ignore', onExitCodes: { operator: 'In', values: [1] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget', status: 'True' }] },
    ];
    const policy = { completions: 4, backoffLimit: 0, podFailurePolicy: { rules } };
    await node.apply(job('evicted', `if [ $JOB_COMPLETION_INDEX = 0 ]; then ${first}; else ${others}; fi`, policy));
    await node.apply(
      job('half', 'exit $(expr $JOB_COMPLETION_INDEX % 2)', { completions: 4, backoffLimitPerIndex: 1 }),
    );
    await node.until(/^3$/, () => field('job/evicted', '.status.succeeded'), 60);
    const pods = [
      '-l',
      'job=evicted',
      '--field-selector=status.phase=Running',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    ];
    const pod = await node.kubectl('get', 'pods', ...pods);
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod, namespace: 'default' } };
    const path = `/api/v1/namespaces/default/pods/${pod}/eviction`;
    expect(await node.kubectl('create', '--raw', path, '-f', '-', JSON.stringify(eviction))).toContain('Success');
    await node.until(/SuccessCriteriaMet CompletionsReached;.*Complete /, () => conditions('evicted'), 60);
    await node.until(/FailureTarget FailedIndexes;.*Failed FailedIndexes;/, () => conditions('half'), 90);
    const counts = '.status.failedIndexes} {.status.completedIndexes} {.status.failed} {.status.succeeded';
    expect(await field('job/half', counts)).toBe('1,3 0,2 4 2');
  }, 240_000);

  const labels = { app: 'web' };
  const web = (version: string) => {
    const script = 'mkdir -p /w; echo ok > /w/index.html; exec httpd -f -p 80 -h /w';
    const httpGet = { path: '/index.html', port: 80 };
    const readinessProbe = { httpGet, periodSeconds: 1, failureThreshold: 1 };
    const one = container(script, { readinessProbe, env: [{ name: 'VERSION', value: version }] });
    return { metadata: { labels }, spec: { terminationGracePeriodSeconds: 0, containers: [one] } };
  };
  const move = (pod: string, from: string, to: string) => node.kubectl('exec', pod, '--', 'mv', from, to);
  const readyPods = () => field('sts/ss', '.status.readyReplicas');
  const podNames = () => node.kubectl('get', 'pods', '-l', 'app=web', '-o', 'jsonpath={.items[*].metadata.name}');

  test('a stateful set scales in order, halts at a pod that is not ready, and rolls out afterwards', async () => {
    const spec = { serviceName: 'web', replicas: 1, selector: { matchLabels: labels }, template: web('1') };
    const updateStrategy = { type: 'RollingUpdate' };
    await node.apply({
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'ss' },
      spec: { ...spec, updateStrategy },
    });
    await node.until(/^1$/, readyPods);
    await move('ss-0', '/w/index.html', '/tmp/');
    await node.until(/^0?$/, readyPods);
    await merge('sts/ss', { spec: { replicas: 3 } });
    await wait(5_000);
    expect(await podNames()).toBe('ss-0');
    await move('ss-0', '/tmp/index.html', '/w/');
    await node.until(/^3$/, readyPods);
    await move('ss-1', '/w/index.html', '/tmp/');
    await node.until(/^2$/, readyPods);
    await merge('sts/ss', { spec: { template: web('2') } });
    await wait(3_000);
    expect(await field('sts/ss', '.status.updatedReplicas')).toBe('');
    await move('ss-1', '/tmp/index.html', '/w/');
    await node.until(/^3 3 (\S+) \1$/, () =>
      field(
        'sts/ss',
        '.status.updatedReplicas} {.status.readyReplicas} {.status.currentRevision} {.status.updateRevision',
      ),
    );
    await merge('sts/ss', { spec: { replicas: 0 } });
    await node.until(/^$/, podNames);
  }, 240_000);

  test.each([1, 0])(
    'preemption takes no more pods than it must; grace period %i s',
    async (grace) => {
      const [name, resource] = [`grace${grace}`, 'example.com/fakecpu'];
      const amount = [{ op: 'add', path: '/status/capacity/example.com~1fakecpu', value: '1000' }];
      const patch = [...amount, { ...amount[0], path: '/status/allocatable/example.com~1fakecpu' }];
      await node.kubectl('patch', 'node/node1', '--subresource=status', '--type=json', `-p=${JSON.stringify(patch)}`);
      const podSpec = (priority: number, cpu: number) => ({
        priorityClassName: `${name}-p${priority}`,
        terminationGracePeriodSeconds: grace,
        containers: [container('sleep 1000', { resources: { limits: { [resource]: `${cpu}` } } })],
      });
      const set = (priority: number, cpu: number) => {
        const selector = { matchLabels: { name: `${name}-${priority}` } };
        const template = { metadata: { labels: selector.matchLabels }, spec: podSpec(priority, cpu) };
        const metadata = { name: `${name}-${priority}` };
        return { apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata, spec: { replicas: 1, selector, template } };
      };
      const classes = [1, 2, 3, 4].map((value) => ({
        apiVersion: 'scheduling.k8s.io/v1',
        kind: 'PriorityClass',
        metadata: { name: `${name}-p${value}` },
        value,
      }));
      await node.apply({ apiVersion: 'v1', kind: 'List', items: [...classes, set(1, 200), set(2, 300), set(3, 450)] });
      for (const priority of [1, 2, 3])
        await node.until(/^1$/, () => field(`rs/${name}-${priority}`, '.status.availableReplicas'));
      const metadata = { name: `${name}-preemptor` };
      await node.apply({ apiVersion: 'v1', kind: 'Pod', metadata, spec: podSpec(4, 500) });
      await node.until(/^Running$/, () => field(`pod/${metadata.name}`, '.status.phase'));
      await wait(5_000);
      const created = async (priority: number) => {
        const about = `--field-selector=reason=SuccessfulCreate,involvedObject.name=${name}-${priority}`;
        return (await node.kubectl('get', 'events', about, '-o', 'name')).split('\n').length;
      };
      expect([await created(1), await created(2), await created(3)]).toEqual([2, 2, 1]);
      await node.kubectl('delete', 'rs,pod', '--all', '--now');
    },
    120_000,
  );
});
