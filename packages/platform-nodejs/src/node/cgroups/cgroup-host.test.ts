import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCgroupHost } from './cgroup-host.js';

/** An available controller of cgroups v2 on this machine; others may be in v1 hierarchies. */
const controllers = ['cpu', 'memory', 'pids', 'hugetlb'];

/** A cgroup v2 in place of the root of a container's hierarchy, and a controller that it can delegate. */
function containerRoot(): { readonly root: string; readonly controller: string } | undefined {
  const mount = readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .find((line) => line.includes(' - cgroup2 '))
    ?.split(' ')[4];
  if (mount === undefined || process.getuid?.() !== 0) return undefined;
  const words = (file: string) => readFileSync(join(mount, file), 'utf8').trim().split(' ');
  try {
    const controller = controllers.find((name) => words('cgroup.controllers').includes(name));
    if (controller === undefined) return undefined;
    const control = join(mount, 'cgroup.subtree_control');
    if (!words('cgroup.subtree_control').includes(controller)) {
      writeFileSync(control, `+${controller}`);
      onTestFinished(() => writeFileSync(control, `-${controller}`));
    }
    const root = join(mount, `coracle-test-${process.pid}`);
    mkdirSync(root);
    onTestFinished(() => rmdirSync(root));
    return { root, controller };
  } catch {
    return undefined;
  }
}

test('in a container, processes in the root make room for cgroups of pods', async (context) => {
  const found = containerRoot();
  if (!found) return context.skip('needs root and cgroups v2 that can be written');
  const { root, controller } = found;
  const child = spawn('sleep', ['60']);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  const pid = String(child.pid);
  writeFileSync(join(root, 'cgroup.procs'), pid);
  expect(() => writeFileSync(join(root, 'cgroup.subtree_control'), `+${controller}`)).toThrow(/EBUSY/);

  const host = createCgroupHost({
    version: 2,
    mounts: [root],
    mountOf: (name) => (name === controller ? root : undefined),
  });
  await host.apply('/kubepods/burstable', {});
  const available = readFileSync(join(root, 'kubepods/burstable/cgroup.controllers'), 'utf8');
  const moved = readFileSync(join(root, 'init/cgroup.procs'), 'utf8');
  child.kill('SIGKILL');
  await ended;
  await host.remove('/kubepods');
  await host.remove('/init');
  expect(available.trim().split(' ')).toContain(controller);
  expect(moved.trim()).toBe(pid);
});
