import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { kubectl, type Output, web } from './kubectl.js';

let cluster: Cluster;
const run = (...words: string[]): Promise<Output> => kubectl(cluster, words);

beforeAll(async () => {
  cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 2, seed: 1 });
  await cluster.client.deployments('default').create({ ...web, spec: { ...web.spec, replicas: 1 } });
  await cluster.settled();
});
afterAll(() => cluster.stop());

describe('rollout history of one revision', () => {
  test('shows the cause of the change among the annotations of the template', async () => {
    await run('annotate', 'deploy/web', 'kubernetes.io/change-cause=the first');
    await cluster.settled();
    const { out } = await run('rollout', 'history', 'deploy/web', '--revision=1');
    expect(out).toContain('\n  Annotations:\tkubernetes.io/change-cause: the first\n  Containers:');
  });
});

describe('run --expose', () => {
  const words = ['run', 'oar', '--image=a', '--port=80', '--expose', '--dry-run=client', '-o', 'json'];

  test('gives the service the labels of the flag', async () => {
    const { out } = await run(...words, '--labels=a=b');
    expect(out).toMatch(
      /^\{\n {4}"kind": "Service",\n.*\n {4}"metadata": \{\n {8}"name": "oar",\n {8}"labels": \{\n {12}"a": "b"/,
    );
  });

  test('gives it none without the flag', async () => {
    expect((await run(...words)).out).toMatch(
      /^\{\n {4}"kind": "Service",\n.*\n {4}"metadata": \{\n {8}"name": "oar"\n/,
    );
  });
});

describe('auth reconcile', () => {
  const role = (rules: object[], metadata: object = {}) => ({
    '/project/role.json': JSON.stringify({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'crew', namespace: 'default', ...metadata },
      rules,
    }),
  });
  const reconcile = (files: Record<string, string>, ...words: string[]) =>
    kubectl(cluster, ['auth', 'reconcile', '-f', 'role.json', ...words], { files });
  const rules = async (namespace: string) => (await cluster.client.roles(namespace).get('crew')).rules;
  const pods = (...verbs: string[]) => ({ apiGroups: [''], resources: ['pods'], verbs });

  test('adds the verbs that are missing, each in a rule of its own', async () => {
    await reconcile(role([pods('get', 'list')]));
    expect(await reconcile(role([pods('get', 'watch', 'delete')]))).toMatchObject({
      code: 0,
      out: 'role.rbac.authorization.k8s.io/crew reconciled\n',
      err: [
        '\treconciliation required update',
        '\tmissing rules added:',
        '\t\t{Verbs:[watch] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}',
        '\t\t{Verbs:[delete] APIGroups:[] Resources:[pods] ResourceNames:[] NonResourceURLs:[]}',
        '',
      ].join('\n'),
    });
    expect(await rules('default')).toEqual([pods('get', 'list'), pods('watch'), pods('delete')]);
  });

  test('prints nothing more about a role that has all rules', async () => {
    expect(await reconcile(role([pods('get')]))).toMatchObject({ err: '' });
  });

  test('leaves a role that has opted out', async () => {
    await run('annotate', 'role/crew', 'rbac.authorization.kubernetes.io/autoupdate=false');
    const { err } = await reconcile(role([pods('patch')]));
    expect(err).toContain('required update, but object opted out (rbac.authorization.kubernetes.io/autoupdate: false)');
    expect(await rules('default')).toHaveLength(3);
  });

  test('creates the namespace of a new role', async () => {
    expect((await reconcile(role([pods('get')], { namespace: 'new' }))).err).toContain('required create');
    expect(await rules('new')).toEqual([pods('get')]);
  });

  test('adds selectors to an aggregated role, and takes the rule from one that is to have none', async () => {
    const clusterRole = (aggregationRule?: object) => ({
      '/project/role.json': JSON.stringify({
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRole',
        metadata: { name: 'fleet' },
        ...(aggregationRule ? { aggregationRule } : { rules: [] }),
      }),
    });
    const selector = (name: string) => ({ matchLabels: { [name]: 'yes' } });
    const selectors = async () =>
      (await cluster.client.clusterRoles().get('fleet')).aggregationRule?.clusterRoleSelectors;
    await reconcile(clusterRole({ clusterRoleSelectors: [selector('a')] }));
    await reconcile(clusterRole({ clusterRoleSelectors: [selector('b')] }));
    expect(await selectors()).toEqual([selector('a'), selector('b')]);
    await reconcile(clusterRole());
    expect(await selectors()).toBeUndefined();
  });
});

describe('top', () => {
  const usage = (name: string, containers: Record<string, string>) => ({
    metadata: {
      name,
      namespace: 'default',
      labels: { of: 'top' },
      annotations: Object.fromEntries(
        Object.entries(containers).map(([container, cpu]) => [`simulation.coracle.dev/cpu-usage.${container}`, cpu]),
      ),
    },
    spec: { containers: Object.keys(containers).map((container) => ({ name: container, image: 'a' })) },
  });

  test('fails for pods without metrics, and says so of one that should have them', async () => {
    const top = ['top', 'pod', '-n', 'kube-public'];
    // Loads the code of the command: virtual time that passes meanwhile must not make the pod older.
    expect((await run(...top)).err).toBe('No resources found in kube-public namespace.\n');
    await cluster.client.pods('kube-public').create({
      metadata: { name: 'stuck', namespace: 'kube-public' },
      spec: { containers: [{ name: 'c', image: 'a' }], nodeSelector: { no: 'node' } },
    });
    expect(await run(...top)).toMatchObject({ code: 1, err: 'error: metrics not available yet\n' });
    await cluster.clock.advance('3m');
    expect((await run(...top)).err).toMatch(/^error: Metrics not available for pod kube-public\/stuck, age: \d+m\d+/);
    expect((await run(...top, '-l', 'no=pod')).err).toBe('No resources found in kube-public namespace.\n');
  });

  test('pads every column, and keeps the containers of a pod together', async () => {
    await cluster.client.pods('default').create(usage('a', { x: '3m', y: '4m' }));
    await cluster.client.pods('default').create(usage('b', { x: '2m', y: '500m' }));
    await cluster.settled();
    await cluster.clock.advance('3m');
    expect((await run('top', 'pod', '-l', 'of=top', '--sum')).out.split('\n')).toEqual([
      'NAME   CPU(cores)   MEMORY(bytes)   ',
      'a      7m           0Mi             ',
      'b      502m         0Mi             ',
      '       ________     ________        ',
      '       509m         0Mi             ',
      '',
    ]);
    const { out } = await run('top', 'pod', '-l', 'of=top', '--containers', '--sort-by=cpu', '--show-swap');
    expect(out.split('\n')).toEqual([
      'POD   NAME   CPU(cores)   MEMORY(bytes)   SWAP(bytes)   ',
      'b     y      500m         0Mi             0Mi           ',
      'b     x      2m           0Mi             0Mi           ',
      'a     y      4m           0Mi             0Mi           ',
      'a     x      3m           0Mi             0Mi           ',
      '',
    ]);
  });

  test('shows the swap of nodes, which these do not have', async () => {
    const [header, row] = (await run('top', 'node', '--show-swap')).out.split('\n');
    expect(header).toMatch(
      /^NAME +CPU\(cores\) +CPU\(%\) +MEMORY\(bytes\) +MEMORY\(%\) +SWAP\(bytes\) {3}SWAP\(%\) {5}$/,
    );
    expect(row).toMatch(/^coracle-node-1 {3}\d+m .* <unknown> {5}<unknown> {3}$/);
  });
});

describe('drain', () => {
  const labels = { of: 'drain' };

  test('waits for all pods, names what is left, and writes the time limit as a duration', async () => {
    await cluster.client.podDisruptionBudgets('default').create({
      metadata: { name: 'drain', namespace: 'default' },
      spec: { minAvailable: 2, selector: { matchLabels: labels } },
    });
    for (const name of ['p', 'q'])
      await cluster.client.pods('default').create({
        metadata: { name, namespace: 'default', labels },
        spec: { nodeName: 'coracle-node-1', containers: [{ name: 'c', image: 'a' }] },
      });
    await cluster.settled();
    const words = ['drain', 'coracle-node-1', '--pod-selector=of=drain', '--force', '--timeout=3s'];
    const { code, out, err } = await run(...words);
    const failed = (name: string) => `error when evicting pods/"${name}" -n "default": global timeout reached: 3s`;
    expect(code).toBe(1);
    expect(out.match(/^evicting pod default\/[pq]$/gm)).toHaveLength(4);
    expect(err.match(/will retry after 5s/g)).toHaveLength(2);
    expect(err).toContain(
      `There are pending pods in node "coracle-node-1" when an error occurred: [${failed('p')}, ${failed('q')}]\npod/p\npod/q\n`,
    );
    expect(err).toContain(`due to error: [${failed('p')}, ${failed('q')}], continuing command...\n`);
  });

  test('evicts in words with --dry-run=client, whatever the way', async () => {
    const words = ['drain', 'coracle-node-1', '--pod-selector=of=drain', '--force', '--dry-run=client'];
    expect((await run(...words, '--disable-eviction')).out).toContain('evicting pod default/p (dry run)\n');
  });
});

test('set image changes the containers that are there, and fails for the others', async () => {
  expect(await run('set', 'image', 'deploy/web', 'web=nginx:7', 'oar=x')).toEqual({
    code: 1,
    out: 'deployment.apps/web image updated\n',
    err: 'error: unable to find container named "oar"\n',
  });
  const { spec } = await cluster.client.deployments('default').get('web');
  expect(spec?.template.spec?.containers[0]?.image).toBe('nginx:7');
});

test('delete with a namespace warns of objects that are in none', async () => {
  await run('create', 'priorityclass', 'low', '--value=1');
  expect(await run('delete', 'priorityclass/low', '-n', 'default')).toMatchObject({
    code: 0,
    err: 'Warning: deleting cluster-scoped resources, not scoped to the provided namespace\n',
  });
  await run('create', 'priorityclass', 'low', '--value=1');
  expect(await run('delete', 'priorityclass/low')).toMatchObject({ code: 0, err: '' });
});
