import type { PodSpec } from '@coracle/api';
import { describe, expect, test } from 'vitest';
import { startTestNodes, stateOf, web } from './nodes.fixture.js';

describe('environment and volumes of pods', () => {
  test('K17.12 a pod waits for the config map of its volume, with an event', async () => {
    const { run, client, clock, events, pods } = await startTestNodes();
    const spec: Partial<PodSpec> = {
      volumes: [{ name: 'config', configMap: { name: 'settings' } }],
      containers: [{ ...web, volumeMounts: [{ name: 'config', mountPath: '/etc/app' }] }],
    };
    expect(stateOf(await run('web', spec))).toBe('waiting: ContainerCreating');
    expect(await events('web')).toEqual([
      'FailedMount: MountVolume.SetUp failed for volume "config" : configmap "settings" not found',
    ]);

    await clock.advance(60_000);
    await client.configMaps('default').create({ metadata: { name: 'settings' }, data: { a: 'b' } });
    await clock.advance(60_000);
    expect(stateOf(await pods.get('web'))).toBe('ready');
  });

  test('K19.3 a pod that waits for two minutes has an event with all its volumes', async () => {
    const { run, clock, events } = await startTestNodes();
    const volumeMounts = ['b', 'a'].map((name) => ({ name, mountPath: `/${name}` }));
    const volumes = ['b', 'a'].map((name) => ({ name, secret: { secretName: name } }));
    await run('web', { volumes, containers: [{ ...web, volumeMounts }] });
    await clock.advance(300_000);
    expect(await events('web')).toContain(
      'FailedMount: Unable to attach or mount volumes: unmounted volumes=[a b], unattached volumes=[], failed to process volumes=[]: context deadline exceeded',
    );
  });

  test('a container whose secret is missing is not created, until it is there', async () => {
    const { run, client, clock, events, pods } = await startTestNodes();
    const env = [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'login', key: 'password' } } }];
    const pod = await run('web', { containers: [{ ...web, env }] });
    expect(pod.status?.containerStatuses?.[0]?.state?.waiting).toEqual({
      reason: 'CreateContainerConfigError',
      message: 'secret "login" not found',
    });
    expect(pod.status?.phase).toBe('Pending');
    expect(await events('web')).toContain('Failed: Error: secret "login" not found');

    await client.secrets('default').create({ metadata: { name: 'login' }, data: {} });
    await clock.advance(30_000);
    expect((await pods.get('web')).status?.containerStatuses?.[0]?.state?.waiting?.message).toBe(
      "couldn't find key password in Secret default/login",
    );

    const secret = await client.secrets('default').get('login');
    await client.secrets('default').update({ ...secret, data: { password: 'cA==' } });
    await clock.advance(30_000);
    expect(stateOf(await pods.get('web'))).toBe('ready');
  });

  test('K20.9 a command may use the variables, and the address of its pod', async () => {
    const { run, nodes } = await startTestNodes();
    const env = [
      { name: 'WHO', value: 'you' },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ];
    const pod = await run('web', {
      restartPolicy: 'Never',
      containers: [{ ...web, env, command: ['echo', 'hello $(WHO) at $(IP) $(NOBODY)'] }],
    });
    const lines = nodes.runtimeOf('coracle-node-1')?.logsOf(pod.metadata.uid ?? '', 'web') ?? [];
    expect(lines.map(({ text }) => text)).toEqual([`hello you at ${pod.status?.podIP} $(NOBODY)`]);
    expect(pod.status?.podIP).toMatch(/^10\.244\./);
  });

  test('K13.6 the files of a volume follow the object that they show within a minute and a half', async () => {
    const { run, client, clock, nodes } = await startTestNodes();
    const configMaps = client.configMaps('default');
    await configMaps.create({ metadata: { name: 'settings' }, data: { colour: 'red' } });
    const pod = await run('web', {
      volumes: [{ name: 'config', configMap: { name: 'settings' } }],
      containers: [{ ...web, volumeMounts: [{ name: 'config', mountPath: '/etc/app' }] }],
    });
    const directory = `/var/lib/kubelet/pods/${pod.metadata.uid}/volumes/kubernetes.io~configmap/config`;
    const read = async () => {
      const volume = nodes.runtimeOf('coracle-node-1')?.disk.volumeIn(directory);
      const content = volume?.kind === 'given' ? await volume.files.get('colour')?.content() : undefined;
      return new TextDecoder().decode(content);
    };
    expect(await read()).toBe('red');
    await configMaps.patch('settings', { data: { colour: 'blue' } }, { type: 'merge' });
    await clock.advance(90_000);
    expect(await read()).toBe('blue');
  });
});
