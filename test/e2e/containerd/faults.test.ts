import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { busybox, mountsBelow, whyNoContainerd } from './containerd.js';
import { nodeForTests } from './node-for-tests.js';
import { podOf } from './real-node.js';

const limitMs = 240_000;
const whyNot = whyNoContainerd();

describe.skipIf(whyNot)(`a real node in trouble${whyNot ? `: ${whyNot}` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-faults-'));
  afterAll(() => {
    for (const path of mountsBelow(folder)) spawnSync('umount', ['-l', path]);
    rmSync(folder, { recursive: true, force: true });
  });
  const [directory, link] = [join(folder, 'kubelet'), join(folder, 'link')];
  mkdirSync(directory);
  symlinkSync(directory, link);
  const machine = nodeForTests({ limitMs, flags: ['--root-dir', link] });

  test('a pod is deleted though the root directory is a symbolic link', { timeout: limitMs }, async () => {
    const { node } = machine;
    await node.create(podOf('linked', busybox, 'cat /var/run/secrets/kubernetes.io/serviceaccount/namespace'));
    await node.until('pod/linked', '{.status.phase}', /Succeeded/);
    await node.must('delete', 'pod', 'linked', '--timeout=60s');
    expect(await node.must('get', 'pods', '-o', 'name')).toBe('');
    await expect.poll(() => readdirSync(join(directory, 'pods')), { timeout: 30_000 }).toEqual([]);
  });

  test('a runtime that hangs makes the node not ready, and restarts nothing', { timeout: limitMs }, async () => {
    const { containerd, node } = machine;
    const livenessProbe = { exec: { command: ['true'] }, periodSeconds: 2, failureThreshold: 1 };
    await node.create(podOf('probed', busybox, 'sleep 1000', { restartPolicy: 'Always' }, { livenessProbe }));
    await node.until('pod/probed', '{.status.phase}', /Running/);
    const ready = '{.status.conditions[?(@.type=="Ready")].status}';

    containerd.pause();
    await node.until('node/machine', ready, /False/);
    containerd.resume();

    await node.until('node/machine', ready, /True/);
    await node.must('exec', 'probed', '--', 'true');
    expect(await node.must('get', 'events', '--field-selector=reason=Unhealthy', '-o', 'name')).toBe('');
    expect(await node.must('get', 'pod', 'probed', '-o', 'jsonpath={.status.containerStatuses[0].restartCount}')).toBe(
      '0',
    );
  });

  test('a container that its rules restart keeps its pod running', { timeout: limitMs }, async () => {
    const { node } = machine;
    const restartPolicyRules = [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }];
    const script = 'test -e /data/twice && exit 0; test -e /data/once && touch /data/twice; touch /data/once; exit 42';
    const spec = { volumes: [{ name: 'data', emptyDir: {} }] };
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    const container = { restartPolicy: 'Never', restartPolicyRules, volumeMounts };
    await node.create(podOf('ruled', busybox, script, spec, container));
    await node.until(
      'pod/ruled',
      '{.status.phase} {.status.containerStatuses[0].restartCount}',
      /^(Succeeded|Failed) /,
    );
    const status = '{.status.phase} {.status.containerStatuses[0].restartCount}';
    expect(await node.must('get', 'pod', 'ruled', '-o', `jsonpath=${status}`)).toBe('Succeeded 2');
  });
});
