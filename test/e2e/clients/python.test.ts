import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { isInstalled, run } from '../run.js';
import { RunningCluster } from '../running-cluster.js';

/** Debian's own, which has the packages that Debian installs. */
const python = '/usr/bin/python3';
const hasClient = isInstalled(python, ['-c', 'import kubernetes']);

test.skipIf(!hasClient)('the official Python client creates, lists, watches, patches and deletes', async () => {
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '0'] });
  const script = fileURLToPath(new URL('python_client.py', import.meta.url));
  const { stdout, stderr } = await run(python, [script, cluster.kubeconfig], { timeoutMs: 30_000 });
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    listed: true,
    patched: { colour: 'blue' },
    seen: [
      ['ADDED', 'red'],
      ['MODIFIED', 'blue'],
      ['DELETED', 'blue'],
    ],
    afterwards: 'NotFound',
  });
});

test.skipIf(!hasClient)('its dynamic client, utilities and leader election', async () => {
  await using cluster = await RunningCluster.start({ flags: ['--nodes', '1'] });
  const script = fileURLToPath(new URL('python_dynamic.py', import.meta.url));
  const { stdout, stderr } = await run(python, [script, cluster.kubeconfig], { timeoutMs: 30_000 });
  expect(stderr).not.toContain('Traceback');
  expect(JSON.parse(stdout.split('\n').at(-2) ?? '')).toEqual({
    scaled: 3,
    applied: 'b',
    left: ['c2'],
    elected: [true, false, true],
  });
});
