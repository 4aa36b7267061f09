import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSchedulerConfiguration } from '@coracle/cluster';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { schedulerCommand } from '../commands/components.js';
import { type ConfigurableFlags, configuredFlags, isUsedByScheduler, sayUnused } from './scheduler-configuration.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-scheduler-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const text = `
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: { kubeconfig: /from/file }
leaderElection: { leaderElect: false, leaseDuration: 1m, renewDeadline: 40s, resourceName: mine }
`;

/** The flags of `coracle scheduler` with the arguments, and with what the file says. */
async function flagsOf(content: string, ...args: string[]): Promise<ConfigurableFlags> {
  const file = join(folder, 'config.yaml');
  await writeFile(file, content);
  const command = schedulerCommand();
  command.parseOptions(args);
  return configuredFlags(command.opts<ConfigurableFlags>(), command, await readSchedulerConfiguration(file));
}

test('a configuration sets the leader election and the kubeconfig', async () => {
  expect(await flagsOf(text)).toMatchObject({
    kubeconfig: '/from/file',
    leaderElect: false,
    leaderElectLeaseDuration: 60_000,
    leaderElectRenewDeadline: 40_000,
    leaderElectRetryPeriod: 2_000,
    leaderElectResourceName: 'mine',
    leaderElectResourceNamespace: 'kube-system',
  });
});

test('flags of the command line take precedence', async () => {
  const args = ['--kubeconfig=/from/flag', '--leader-elect=true', '--leader-elect-lease-duration=90s'];
  expect(await flagsOf(text, ...args)).toMatchObject({
    kubeconfig: '/from/flag',
    leaderElect: true,
    leaderElectLeaseDuration: 90_000,
    leaderElectRenewDeadline: 40_000,
  });
});

test('without these settings the flags are as they were', async () => {
  const [head] = text.split('clientConnection');
  const flags = await flagsOf(head ?? '', '--leader-elect-resource-name=other');
  expect(flags).toMatchObject({ leaderElect: true, leaderElectResourceName: 'other' });
  expect(flags).not.toHaveProperty('kubeconfig');
});

test('settings without effect are listed', () => {
  const paths = [
    'leaderElection.leaderElect',
    'clientConnection.kubeconfig',
    'clientConnection.qps',
    'enableProfiling',
  ];
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  sayUnused([]);
  sayUnused(paths.filter((path) => !isUsedByScheduler(path)));
  expect(write.mock.calls).toEqual([['coracle: without effect here: clientConnection.qps, enableProfiling\n']]);
  write.mockRestore();
});
