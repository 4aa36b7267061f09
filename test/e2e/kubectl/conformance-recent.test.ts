import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Deployment, Namespace, Pod } from '@coracle/api';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RunningCluster } from '../running-cluster.js';
import { Kubectl, ownKubectl } from './kubectl.js';

const timeout = 180_000;

/** sig-cli's tests that need a newer kubectl than distributions may have. */
describe('recent tests of sig-cli with our kubectl', () => {
  let cluster: RunningCluster;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'coracle-sig-cli-'));
    cluster = await RunningCluster.start({ flags: ['--nodes', '1', '--runtime', 'simulated'] });
  }, timeout);
  afterAll(async () => {
    await cluster?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  }, timeout);
  // A retried test gets a new namespace.
  let attempts = 0;
  const inNamespace = (name: string) => Kubectl.inNamespace(cluster, `${name}-${++attempts}`, ownKubectl);

  function talking(name: string): object {
    const labels = { name };
    const container = (one: string) => ({
      name: one,
      image: 'busybox',
      command: ['sh', '-c', `echo ${one} speaks; sleep 3600`],
    });
    const annotations = { 'kubectl.kubernetes.io/default-container': 'container-2' };
    return {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels, annotations },
          spec: { containers: [container('container-1'), container('container-2')] },
        },
      },
    };
  }

  test('logs: the default container, all containers, and all pods of a deployment', { timeout }, async () => {
    const kubectl = await inNamespace('logs');
    await kubectl.apply(talking('talk'));
    await kubectl.succeed('rollout', 'status', 'deploy/talk', '--timeout=60s');
    const pods = (await kubectl.succeed('get', 'pods', '-o', 'jsonpath={.items[*].metadata.name}')).split(' ');
    const [first = ''] = pods;
    expect(await kubectl.succeed('logs', first)).toBe('container-2 speaks\n');
    expect(await kubectl.succeed('logs', first, '-c', 'container-1')).toBe('container-1 speaks\n');
    expect(await kubectl.succeed('logs', first, '--all-containers')).toBe('container-1 speaks\ncontainer-2 speaks\n');
    const ofPods = (await kubectl.succeed('logs', 'deploy/talk', '--all-pods')).trim().split('\n').sort();
    expect(ofPods).toEqual(pods.map((pod) => `[pod/${pod}/container-2] container-2 speaks`).sort());
    const all = (await kubectl.succeed('logs', 'deploy/talk', '--all-pods', '--all-containers')).trim().split('\n');
    expect(all.sort()).toEqual(
      pods.flatMap((pod) => ['container-1', 'container-2'].map((one) => `[pod/${pod}/${one}] ${one} speaks`)).sort(),
    );
  });

  test('apply prunes the members of an apply set that are no longer in the files', { timeout }, async () => {
    const kubectl = (await inNamespace('applysets')).with({ KUBECTL_APPLYSET: 'true' });
    const map = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });
    const apply = (...names: string[]) => {
      const list = { apiVersion: 'v1', kind: 'List', items: names.map(map) };
      return kubectl.succeedWith(JSON.stringify(list), 'apply', '--prune', '--applyset=applyset1', '-f', '-');
    };
    const members = async () => {
      const names = await kubectl.succeed('get', 'cm', '-o', 'jsonpath={.items[*].metadata.name}');
      return names.split(' ').filter((name) => name !== 'kube-root-ca.crt');
    };
    await apply('cm1', 'cm2');
    expect(await members()).toEqual(['cm1', 'cm2']);
    for (let i = 0; i < 2; i++) {
      await apply('cm1');
      expect(await members()).toEqual(['cm1']);
    }
  });

  test('debug: a custom profile overrides that of kubectl, in place and in a copy', { timeout }, async () => {
    const kubectl = await inNamespace('debug');
    const custom = join(folder, 'custom.yaml');
    const env = [{ name: 'REQUIRED_ENV_VAR', value: 'value2' }];
    writeFileSync(custom, JSON.stringify({ securityContext: { capabilities: { add: ['NET_ADMIN'] } }, env }));
    await kubectl.succeed('run', 'target', '--image=busybox', '--', 'sh', '-c', 'sleep 3600');
    await kubectl.succeed('wait', '--for=condition=Ready', 'pod/target', '--timeout=60s');
    const flags = ['--image=nginx', '--profile=general', `--custom=${custom}`];
    const script = ['--', 'sh', '-c', 'sleep 3600'];
    await kubectl.succeed('debug', 'target', ...flags, '--container=debugger', ...script);
    await kubectl.succeed('debug', 'target', ...flags, '--copy-to=copied', ...script);
    const inPlace = await kubectl.succeed('get', 'pod', 'target', '-o', 'jsonpath={.spec.ephemeralContainers[*]}');
    const copied = await kubectl.succeed('get', 'pod', 'copied', '-o', 'jsonpath={.spec.containers[*]}');
    for (const text of [inPlace, copied]) {
      expect(text).toContain('NET_ADMIN');
      expect(text).toContain('REQUIRED_ENV_VAR');
      expect(text).not.toContain('SYS_PTRACE');
    }
  });

  test('delete --interactive prompts, and rollout undo reverts set env', { timeout }, async () => {
    const kubectl = await inNamespace('asking');
    await kubectl.apply(talking('kept'));
    await kubectl.succeed('rollout', 'status', 'deploy/kept', '--timeout=60s');
    const before = await kubectl.json<Deployment>('get', 'deploy', 'kept');
    await kubectl.succeed('set', 'env', 'deploy/kept', 'foo=bar');
    await kubectl.succeed('rollout', 'status', 'deploy/kept', '--timeout=60s');
    await kubectl.succeed('rollout', 'undo', 'deploy/kept');
    const after = await kubectl.json<Deployment>('get', 'deploy', 'kept');
    expect(after.spec?.template).toEqual(before.spec?.template);

    const refused = await kubectl.succeedWith('n', 'delete', '--interactive', 'deployment', 'kept');
    expect(refused).toContain('You are about to delete the following 1 resource(s):');
    expect(refused).toContain('deployment.apps/kept');
    expect(refused).toContain('deletion is cancelled');
    await kubectl.succeed('get', 'deploy', 'kept');
    await kubectl.succeedWith('y', 'delete', '--interactive', 'deployment', 'kept');
    expect(await kubectl.fail('get', 'deploy', 'kept')).toContain('not found');
  });

  test('kuberc: aliases with arguments, defaults, and flags that go before them', { timeout }, async () => {
    const kubectl = await inNamespace('preferences');
    const file = join(folder, 'kuberc.yaml');
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'kubectl.config.k8s.io/v1beta1',
        kind: 'Preference',
        aliases: [
          { name: 'getn', command: 'get', prependArgs: ['namespace'], options: [{ name: 'output', default: 'json' }] },
          {
            name: 'runx',
            command: 'run',
            options: [
              { name: 'image', default: 'busybox:1' },
              { name: 'labels', default: 'app=test,env=test' },
              { name: 'env', default: 'DNS_DOMAIN=test' },
            ],
            appendArgs: ['test-pod-2', '--', 'custom-arg1', 'custom-arg2'],
          },
        ],
        defaults: [
          { command: 'delete', options: [{ name: 'interactive', default: 'true' }] },
          { command: 'get', options: [{ name: 'output', default: 'json' }] },
        ],
      }),
    );
    const namespace = JSON.parse(await kubectl.succeed('getn', `--kuberc=${file}`, kubectl.namespace)) as Namespace;
    expect(namespace.metadata.name).toBe(kubectl.namespace);
    expect(await kubectl.succeed('getn', `--kuberc=${file}`, kubectl.namespace, '-oyaml')).toContain(
      'kind: Namespace\n',
    );
    for (const image of ['busybox:1', 'nginx:1']) {
      await kubectl.succeed('runx', `--kuberc=${file}`, ...(image === 'nginx:1' ? [`--image=${image}`] : []));
      const pod = JSON.parse(await kubectl.succeed('get', 'pod/test-pod-2', `--kuberc=${file}`)) as Pod;
      expect(pod.metadata.labels).toMatchObject({ app: 'test', env: 'test' });
      expect(pod.spec?.containers).toMatchObject([{ image, args: ['custom-arg1', 'custom-arg2'] }]);
      const output = await kubectl.succeed('delete', 'pod/test-pod-2', '--kuberc', file);
      expect(output).toContain('You are about to delete the following 1 resource(s)');
      const done = await kubectl.succeed('delete', 'pod/test-pod-2', '--interactive=false', '--kuberc', file);
      expect(done).not.toContain('You are about to delete');
    }
  });
});
