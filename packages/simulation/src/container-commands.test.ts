import { describe, expect, test } from 'vitest';
import { node, startTestNodes, stateOf } from './nodes.fixture.js';

const busybox = { name: 'web', image: 'busybox' };
const script = (text: string) => ({ ...busybox, command: ['sh', '-c', text] });

test('an image that says that it does not exist is not pulled', async () => {
  const { run, events } = await startTestNodes();
  const pod = await run('typo', { containers: [{ ...busybox, image: 'foo:non-existent' }] });
  expect([pod.status?.phase, stateOf(pod)]).toEqual(['Pending', 'waiting: ErrImagePull']);
  expect(await events('typo')).toContainEqual(expect.stringContaining('docker.io/library/foo:non-existent: not found'));
});

describe('the command of a simulated container', () => {
  test('runs with its environment and its files, and ends the container', async () => {
    const { clock, pods, nodes, run } = await startTestNodes();
    const env = [{ name: 'MODE', value: 'odd' }];
    const container = { ...script('echo $MODE > /data/mode; cat /data/mode; echo -n end; exit 3'), env };
    const volumeMounts = [{ name: 'data', mountPath: '/data', subPath: 'sub' }];
    const { metadata } = await run('job', {
      restartPolicy: 'Never',
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [{ ...container, volumeMounts, terminationMessagePolicy: 'FallbackToLogsOnError' }],
    });
    await clock.advance(1_000);
    const { status } = await pods.get('job');
    expect(status?.phase).toBe('Failed');
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 3, message: 'odd\nend' });
    const lines = nodes.runtimeOf(node)?.logsOf(metadata.uid ?? '', 'web');
    expect(lines?.map(({ text, partial }) => [text, partial ?? false])).toEqual([
      ['odd', false],
      ['end', true],
    ]);
  });

  test('remembers in a volume what it did before its restart', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('once', {
      restartPolicy: 'OnFailure',
      volumes: [{ name: 'data', emptyDir: {} }],
      containers: [
        {
          ...script('if [[ -r /data/foo ]]\nthen\nexit 0\nelse\ntouch /data/foo\nexit 1\nfi'),
          volumeMounts: [{ name: 'data', mountPath: '/data' }],
        },
      ],
    });
    await clock.advance(30_000);
    const { status } = await pods.get('once');
    expect([status?.phase, status?.containerStatuses?.[0]?.restartCount]).toEqual(['Succeeded', 1]);
  });

  test('writes its termination message, and finds the aliases of its pod in /etc/hosts', async () => {
    const { clock, pods, run } = await startTestNodes();
    await run('last', {
      restartPolicy: 'Never',
      hostAliases: [{ ip: '10.1.2.3', hostnames: ['foo'] }],
      containers: [
        { ...script('tail -n 1 /etc/hosts > /dev/termination-log'), terminationMessagePath: '/dev/termination-log' },
      ],
    });
    await clock.advance(1_000);
    expect((await pods.get('last')).status?.containerStatuses?.[0]?.state?.terminated?.message).toBe('10.1.2.3\tfoo\n');
  });

  test('is what its probes look at', async () => {
    const { clock, pods, run } = await startTestNodes();
    const livenessProbe = { exec: { command: ['cat', '/tmp/health'] }, periodSeconds: 1, failureThreshold: 1 };
    await run('sick', {
      containers: [{ ...script('echo ok > /tmp/health; sleep 10; rm /tmp/health; sleep 600'), livenessProbe }],
      terminationGracePeriodSeconds: 1,
    });
    await clock.advance(9_000);
    expect((await pods.get('sick')).status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await clock.advance(5_000);
    expect((await pods.get('sick')).status?.containerStatuses?.[0]?.restartCount).toBe(1);
  });

  test('that is not simulated leaves its probes of files to the annotations', async () => {
    const { clock, run, pods } = await startTestNodes();
    const readinessProbe = { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1 };
    await run('image', { containers: [{ ...busybox, readinessProbe }] });
    await clock.advance(2_000);
    expect(stateOf(await pods.get('image'))).toBe('ready');
  });

  test('fails a probe that takes too long', async () => {
    const { clock, run, pods } = await startTestNodes();
    const readinessProbe = { exec: { command: ['sleep', '5'] }, periodSeconds: 10, timeoutSeconds: 1 };
    await run('slow', { containers: [{ ...script('sleep 600'), readinessProbe }] });
    await clock.advance(15_000);
    expect((await pods.get('slow')).status?.containerStatuses?.[0]?.ready).toBe(false);
  });
});
