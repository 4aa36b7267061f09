import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openClusterPki, systemClock } from '@coracle/platform-nodejs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { certsCommand, describeCertificates, renewCertificates } from './certs.js';

async function madeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  return folder;
}

test('certificates are shown with when they expire', async () => {
  const lines = (await describeCertificates(await madeFolder(), Date.now())).split('\n');
  expect(lines[0]).toMatch(/^CERTIFICATE +EXPIRES +RESIDUAL TIME +AUTHORITY$/);
  expect(lines.find((line) => line.startsWith('apiserver '))).toMatch(/ 36\d+d +no$/);
  expect(lines.find((line) => line.startsWith('ca '))).toMatch(/ yes$/);
});

test('certificates are renewed, authorities never', async () => {
  const folder = await madeFolder();
  await expect(renewCertificates(folder, ['ca'])).rejects.toThrow('no certificate ca that can be renewed');
  await renewCertificates(folder, ['apiserver']);
  expect(await readdir(folder)).not.toContain('apiserver.crt');
  await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
  expect(await readdir(folder)).toEqual(expect.arrayContaining(['apiserver.crt', 'apiserver.key', 'ca.crt']));
});

test.each([
  ['renew', '--data-dir'],
  ['--data-dir', 'renew'],
])('certs %s %s renews the certificates of that directory', async (first) => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  onTestFinished(() => {
    vi.restoreAllMocks();
  });
  const pki = join(await madeFolder(), 'pki');
  await openClusterPki({ folder: pki, clock: systemClock, serviceAddress: '10.96.0.1' });
  const flag = ['--data-dir', dirname(pki)];
  const words = first === 'renew' ? ['renew', 'apiserver', ...flag] : [...flag, 'renew', 'apiserver'];
  await certsCommand().parseAsync(words, { from: 'user' });
  expect(await readdir(pki)).not.toContain('apiserver.crt');
});
