import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addKubeletFlags, type KubeletFlags, kubeletOptions } from './kubelet-flags.js';

function flagsOf(...args: string[]): KubeletFlags {
  const command = addKubeletFlags(new Command().exitOverride().configureOutput({ writeErr: () => undefined }));
  return command.parse(args, { from: 'user' }).opts();
}

test.each([
  [
    ['--eviction-hard=memory.available<1Gi,nodefs.available<10%'],
    { evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '10%' } },
  ],
  [['--kube-reserved', 'cpu=100m,memory=1Gi'], { kubeReserved: { cpu: '100m', memory: '1Gi' } }],
  [['--pod-max-pids=-1'], { podPidsLimit: -1 }],
  [['--cgroup-driver=systemd', '--register-node=false'], { cgroupDriver: 'systemd', registerNode: false }],
  [
    ['--authorization-mode=Webhook', '--anonymous-auth=false'],
    { authorization: { mode: 'Webhook' }, authentication: { anonymous: { enabled: false } } },
  ],
  [['--sync-frequency=30s'], { syncFrequency: 30_000 }],
])('flags of the kubelet that stand for fields of its configuration: %s', async (args, settings) => {
  expect((await kubeletOptions(flagsOf(...args))).settings).toMatchObject(settings);
});

test('a flag replaces the field of the file, and leaves those beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-flags-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const config = join(folder, 'kubelet.yaml');
  const type = { apiVersion: 'kubelet.config.k8s.io/v1beta1', kind: 'KubeletConfiguration' };
  const authentication = { webhook: { enabled: true }, anonymous: { enabled: true } };
  writeFileSync(config, JSON.stringify({ ...type, authentication, rotateCertificates: true, failSwapOn: false }));
  const options = await kubeletOptions(flagsOf('--config', config, '--anonymous-auth=false', '--fail-swap-on'));
  expect(options).toMatchObject({
    failSwapOn: true,
    rotateCertificates: true,
    settings: { authentication: { webhook: { enabled: true }, anonymous: { enabled: false } } },
  });
});

test('the files of the serving certificate are checked', async () => {
  await expect(kubeletOptions(flagsOf('--client-ca-file=/nowhere/ca.crt'))).rejects.toThrow('/nowhere/ca.crt');
  await expect(kubeletOptions(flagsOf('--tls-cert-file=/nowhere/a.crt'))).rejects.toThrow('/nowhere/a.crt');
});

test('flags without effect are taken, and reported', async () => {
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());
  await kubeletOptions(flagsOf('--cloud-provider=external', '--v=2', '--read-only-port', '0'));
  expect(stderr.mock.calls).toEqual([['coracle: without effect here: --cloud-provider, --read-only-port, --v\n']]);
});

test.each([
  ['--pod-infra-container-image=registry.example/pause:3.10', /removed in v1\.35; set the sandbox image/],
  ['--config-dir=/etc/kubelet.d', /drop-in files are not supported/],
  ['--network-plugin=cni', /removed in v1\.24/],
  ['--kube-reserved=cpu', /"cpu" is not of the form key=value/],
  ['--eviction-hard=memory.available=1Gi', /is not of the form key<value/],
  ['--max-pods-per-node=1', /unknown option/],
])('%s is refused with the reason', (flag, reason) => {
  expect(() => flagsOf(flag)).toThrow(CommanderError);
  expect(() => flagsOf(flag)).toThrow(reason);
});
