import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { busybox, whyNoContainerd } from './containerd.js';
import { nodeForTests } from './node-for-tests.js';
import { podOf } from './real-node.js';

const whyNot = whyNoContainerd();
const limitMs = 300_000;

describe.skipIf(whyNot)(`coracle up --kubelet-config${whyNot ? `: ${whyNot}` : ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'kubelet.yaml');
  const type = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const taint = { key: 'for', value: 'tests', effect: 'PreferNoSchedule' };
  const server = { enableDebuggingHandlers: false, healthzPort: 10348 };
  const own = { failSwapOn: false, maxPods: 7, registerWithTaints: [taint], ...server };
  writeFileSync(file, JSON.stringify({ ...type, ...own }));
  const machine = nodeForTests({ limitMs, flags: ['--kubelet-config', file] });

  test('the node follows its configuration', { timeout: limitMs }, async () => {
    await machine.node.until('node/machine', '{.status.allocatable.pods}', /^7$/);
    const { spec } = JSON.parse(await machine.node.must('get', 'node', 'machine', '-o', 'json'));
    expect(spec.taints).toContainEqual(taint);
  });

  test('its health is served at the configured address', { timeout: limitMs }, async () => {
    const health = ['wget', '-qO-', 'http://127.0.0.1:10348/healthz'];
    expect((await machine.containerd.inside('busybox', health)).stdout).toBe('ok');
  });

  test('no commands run in containers where debugging is disabled', { timeout: limitMs }, async () => {
    await machine.node.create(podOf('closed', busybox, 'echo started; trap exit TERM; while :; do sleep 1; done'));
    await machine.node.until('pod/closed', '{.status.phase}', /^Running$/);
    for (const args of [
      ['logs', 'closed'],
      ['exec', 'closed', '--', 'true'],
    ]) {
      const { code, stderr } = await machine.node.kubectl(args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('Debug endpoints are disabled.')]);
    }
  });

  test('it exits by itself while hooks and probes are running', { timeout: limitMs }, async () => {
    const preStop = { sleep: { seconds: 100 } };
    const readinessProbe = { httpGet: { port: 8080 }, timeoutSeconds: 100 };
    const silent = 'trap exit TERM; while :; do nc -l -p 8080; done';
    const spec = { terminationGracePeriodSeconds: 200 };
    await machine.node.create(podOf('slow', busybox, silent, spec, { lifecycle: { preStop }, readinessProbe }));
    await machine.node.until('pod/slow', '{.status.phase}', /^Running$/);
    await machine.node.must('delete', 'pod', 'slow', '--wait=false');
    await machine.node.until('pod/slow', '{.metadata.deletionTimestamp}', /./);
    await machine.node.kill('SIGTERM');
    expect(machine.node.errors).not.toContain('resources still open');
  });
});
