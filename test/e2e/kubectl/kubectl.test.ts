import type { Deployment, EndpointSlice, Pod, ReplicaSet } from '@coracle/api';
import type { KubeList } from '@coracle/apimachinery';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { hasKubectl, Kubectl } from './kubectl.js';

const slow = 60_000;

function deployment(name: string, { replicas = 3, image = 'nginx:1' } = {}): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: 'web', image, ports: [{ containerPort: 80 }] }] },
      },
    },
  };
}

function service(name: string): object {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 80 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

const settings = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'red' } };

describe.skipIf(!hasKubectl)('the real kubectl on a cluster of three nodes', () => {
  let cluster: RunningCluster;
  beforeAll(async () => {
    cluster = await RunningCluster.start({ flags: ['--nodes', '3'] });
  });
  afterAll(() => cluster[Symbol.asyncDispose]());

  test(
    'a Deployment and its Service are applied, rolled out, scaled, updated, undone and deleted',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'life');
      expect(await kubectl.apply(deployment('web'), service('web'))).toBe(
        'deployment.apps/web created\nservice/web created\n',
      );
      expect(await kubectl.succeed('rollout', 'status', 'deployment/web', '--timeout=20s')).toContain(
        'successfully rolled out',
      );
      const pods = await kubectl.json<KubeList<Pod>>('get', 'pods', '-l', 'app=web');
      expect(pods.items.map(({ status }) => status?.phase)).toEqual(['Running', 'Running', 'Running']);
      expect(new Set(pods.items.map(({ spec }) => spec?.nodeName)).size).toBe(3);
      const addresses = pods.items.map(({ status }) => status?.podIP).sort();
      expect(await readyAddresses(kubectl, 'web')).toEqual(addresses);

      await kubectl.succeed('scale', 'deployment/web', '--replicas=5');
      await kubectl.succeed('wait', '--for=jsonpath={.status.readyReplicas}=5', 'deployment/web', '--timeout=20s');
      await kubectl.succeed('set', 'image', 'deployment/web', 'web=nginx:2');
      await kubectl.succeed('rollout', 'status', 'deployment/web', '--timeout=20s');
      expect(await images(kubectl)).toEqual(['nginx:2']);
      await kubectl.succeed('rollout', 'undo', 'deployment/web');
      await kubectl.succeed('rollout', 'status', 'deployment/web', '--timeout=20s');
      expect(await images(kubectl)).toEqual(['nginx:1']);
      expect(await kubectl.succeed('rollout', 'history', 'deployment/web')).toMatch(/2 +<none>\n3 +<none>/);

      expect(await kubectl.succeed('delete', 'deployment/web', 'service/web', '--cascade=foreground')).toContain(
        'deployment.apps "web" deleted',
      );
      expect(await kubectl.succeed('get', 'all,endpointslices', '-o', 'name')).toBe('');
    },
    slow,
  );

  test(
    'a background deletion deletes the pods, and an orphaning one keeps them running',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'cascades');
      await kubectl.apply(deployment('gone', { replicas: 2 }), deployment('left', { replicas: 2 }));
      await kubectl.succeed('wait', '--for=condition=Available', 'deployment', '--all', '--timeout=20s');

      await kubectl.succeed('delete', 'deployment', 'gone', '--cascade=background');
      await kubectl.succeed('wait', '--for=delete', 'pod', '-l', 'app=gone', '--timeout=20s');
      await kubectl.succeed('delete', 'deployment', 'left', '--cascade=orphan');

      const sets = await kubectl.json<KubeList<ReplicaSet>>('get', 'replicasets');
      expect(sets.items.map(({ metadata }) => [metadata.labels?.['app'], metadata.ownerReferences])).toEqual([
        ['left', undefined],
      ]);
      const pods = await kubectl.json<KubeList<Pod>>('get', 'pods');
      expect(pods.items.map(({ metadata }) => metadata.labels?.['app'])).toEqual(['left', 'left']);
      await kubectl.succeed('delete', 'namespace', 'cascades', '--timeout=20s');
      expect(await kubectl.fail('get', 'namespace', 'cascades')).toContain(
        'Error from server (NotFound): namespaces "cascades" not found',
      );
    },
    slow,
  );

  test(
    'get -w prints a pod when it is created and deleted',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'watching');
      using lines = kubectl.lines('get', 'pods', '--watch', '--no-headers');
      const seen: string[] = [];
      const watching = (async () => {
        for await (const line of lines) {
          seen.push(line.split(/ +/).slice(0, 3).join(' '));
          if (line.includes('Terminating')) return;
        }
      })();
      await kubectl.succeed('run', 'web', '--image=nginx');
      await kubectl.succeed('wait', '--for=condition=Ready', 'pod/web', '--timeout=20s');
      await kubectl.succeed('delete', 'pod', 'web');
      await watching;
      expect(seen).toContain('web 1/1 Running');
      expect(seen.at(-1)).toMatch(/^web [01]\/1 Terminating$/);
    },
    slow,
  );

  test.each([
    { type: 'merge', patch: '{"data":{"colour":"blue","size":"1"}}', data: { colour: 'blue', size: '1' } },
    { type: 'json', patch: '[{"op":"remove","path":"/data/size"}]', data: { colour: 'blue' } },
    { type: 'strategic', patch: '{"data":{"$patch":"replace","shape":"round"}}', data: { shape: 'round' } },
  ])('patch --type=$type changes the object', async ({ type, patch, data }) => {
    const kubectl = new Kubectl(cluster, 'default');
    if (type === 'merge') await kubectl.apply(settings);
    await kubectl.succeed('patch', 'configmap', 'settings', '--type', type, '--patch', patch);
    expect((await kubectl.json<typeof settings>('get', 'configmap', 'settings')).data).toEqual(data);
  });

  test('a strategic patch changes one container of several', async () => {
    const kubectl = await Kubectl.inNamespace(cluster, 'patches');
    await kubectl.apply(deployment('web', { replicas: 0 }));
    const patch = { spec: { template: { spec: { containers: [{ name: 'side', image: 'busybox' }] } } } };
    await kubectl.succeed('patch', 'deployment', 'web', '--patch', JSON.stringify(patch));
    const { spec } = await kubectl.json<Deployment>('get', 'deployment', 'web');
    expect(spec?.template.spec?.containers.map(({ name }) => name)).toEqual(['side', 'web']);
  });

  test('two managers that apply the same field conflict until one of them forces it', async () => {
    const kubectl = await Kubectl.inNamespace(cluster, 'managers');
    const apply = (colour: string, ...flags: string[]) =>
      kubectl.run(['apply', '--server-side', '-f', '-', ...flags], JSON.stringify({ ...settings, data: { colour } }));
    expect((await apply('red', '--field-manager=one')).code).toBe(0);

    const refused = await apply('blue', '--field-manager=two');
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('Apply failed with 1 conflict: conflict with "one": .data.colour');
    expect((await apply('blue', '--field-manager=two', '--force-conflicts')).code).toBe(0);

    expect((await kubectl.json<typeof settings>('get', 'configmap', 'settings')).data).toEqual({ colour: 'blue' });
  });

  test('diff reports what an apply would change, without changing it', async () => {
    const kubectl = await Kubectl.inNamespace(cluster, 'differences');
    await kubectl.apply(settings);
    const changed = JSON.stringify({ ...settings, data: { colour: 'green' } });
    const { code, stdout } = await kubectl.run(['diff', '-f', '-'], changed);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^- {2}colour: red\n\+ {2}colour: green$/m)]);
    expect((await kubectl.json<typeof settings>('get', 'configmap', 'settings')).data).toEqual({ colour: 'red' });
  });

  test('explain, api-resources and api-versions have the whole API', async () => {
    const kubectl = new Kubectl(cluster);
    expect(await kubectl.succeed('explain', 'deployment.spec.strategy.rollingUpdate')).toContain(
      'maxUnavailable\t<IntOrString>',
    );
    const names = (await kubectl.succeed('api-resources', '-o', 'name')).split('\n');
    expect(names).toEqual(expect.arrayContaining(['pods', 'deployments.apps', 'leases.coordination.k8s.io']));
    expect(await kubectl.succeed('api-versions')).toContain('\nv1\n');
  });

  test('logs prints the annotated log of a simulated container', async () => {
    const kubectl = new Kubectl(cluster);
    const overrides = { metadata: { annotations: { 'simulation.coracle.dev/logs': 'hello\nworld' } } };
    await kubectl.succeed('run', 'chatty', '--image=nginx', '--overrides', JSON.stringify(overrides));
    await kubectl.succeed('wait', '--for=condition=Ready', 'pod/chatty', '--timeout=20s');
    expect(await kubectl.succeed('logs', 'chatty', '--tail=1')).toBe('world\n');
  });

  test(
    'auth and tokens: an administrator may do everything, a service account what is granted',
    async () => {
      const kubectl = await Kubectl.inNamespace(cluster, 'rights');
      expect(await kubectl.succeed('auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}')).toBe(
        'kubernetes-admin',
      );
      expect(await kubectl.succeed('auth', 'can-i', '*', '*')).toBe('yes\n');
      await kubectl.succeed('create', 'serviceaccount', 'reader');
      const token = (await kubectl.succeed('create', 'token', 'reader', '--duration=10m')).trim();
      const asReader = ['--server', cluster.url, '--token', token, '--kubeconfig', '/dev/null'];
      const reader = (...args: string[]) => kubectl.run([...args, ...asReader, '--insecure-skip-tls-verify']);
      expect((await reader('get', 'pods')).stderr).toContain(
        'pods is forbidden: User "system:serviceaccount:rights:reader" cannot list resource "pods" in API group "" in the namespace "rights"',
      );
      await kubectl.succeed('create', 'rolebinding', 'reading', '--clusterrole=view', '--serviceaccount=rights:reader');
      expect((await reader('get', 'pods')).stderr).toContain('No resources found');
      expect((await reader('auth', 'can-i', 'delete', 'pods')).stdout).toBe('no\n');
    },
    slow,
  );

  test('errors have the messages of upstream kubectl', async () => {
    const kubectl = await Kubectl.inNamespace(cluster, 'wrong');
    expect(await kubectl.fail('get', 'pod', 'absent')).toBe('Error from server (NotFound): pods "absent" not found\n');
    expect(await kubectl.fail('get', 'spaceships')).toContain('the server doesn\'t have a resource type "spaceships"');
    expect(await kubectl.fail('create', 'deployment', 'Web', '--image=nginx')).toContain(
      'Deployment.apps "Web" is invalid: metadata.name: Invalid value: "Web": a lowercase RFC 1123 subdomain',
    );
    expect(await kubectl.fail('create', 'namespace', 'wrong')).toContain(
      'Error from server (AlreadyExists): namespaces "wrong" already exists',
    );
  });

  async function readyAddresses(kubectl: Kubectl, name: string): Promise<string[]> {
    await kubectl.succeed(
      ...['wait', '--for=jsonpath={.endpoints[2].conditions.ready}=true', '--timeout=10s'],
      ...['endpointslice', '-l', `kubernetes.io/service-name=${name}`],
    );
    const selector = `kubernetes.io/service-name=${name}`;
    const slices = await kubectl.json<KubeList<EndpointSlice>>('get', 'endpointslices', '-l', selector);
    return slices.items.flatMap(({ endpoints }) => (endpoints ?? []).flatMap(({ addresses }) => addresses)).sort();
  }

  /** Of the pods that are meant to stay. */
  async function images(kubectl: Kubectl): Promise<string[]> {
    const pods = await kubectl.json<KubeList<Pod>>('get', 'pods');
    const staying = pods.items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return [...new Set(staying.map(({ spec }) => spec?.containers[0]?.image ?? ''))];
  }
});
