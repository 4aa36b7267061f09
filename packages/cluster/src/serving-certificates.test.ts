import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, VirtualClock } from '@coracle/base';
import type { ClusterPki, ServedTls } from '@coracle/platform-nodejs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepCertificatesCurrent, readServingTls } from './serving-certificates.js';

const hour = 3_600_000;

function pkiWith(certificate: string): ClusterPki {
  const pair = { certificate, key: `${certificate}-key` };
  return {
    ca: { certificate: 'ca', key: 'ca-key' },
    server: pair,
    admin: pair,
    frontProxyCa: pair,
    frontProxyClient: pair,
    serviceAccountKey: { privateKey: '', publicKey: '' },
  };
}

function recorder() {
  const shown: Partial<ServedTls>[] = [];
  return { shown, setCertificates: (changed: Partial<ServedTls>) => void shown.push(changed) };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-certificates-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the certificates of a running server', () => {
  test('SERVE-03 are replaced when the cluster has new ones, and not before', async () => {
    const clock = new VirtualClock();
    const http = recorder();
    let current = pkiWith('first');
    const first = await readServingTls({}, current);
    using _renewal = keepCertificatesCurrent(http, first, {
      files: {},
      openPki: async () => current,
      clock,
      logger: silentLogger,
    });
    await clock.advance(5 * hour);
    expect(http.shown).toEqual([]);
    current = pkiWith('second');
    await clock.advance(5 * hour);
    expect(http.shown).toEqual([{ certificate: 'second', key: 'second-key', clientCa: 'ca', named: [] }]);
  });

  test("are read for the administrator's kubeconfig too", async () => {
    const clock = new VirtualClock();
    const seen: string[] = [];
    let current = pkiWith('first');
    using _renewal = keepCertificatesCurrent(recorder(), await readServingTls({}, current), {
      files: {},
      openPki: async () => current,
      onRead: async ({ admin }) => void seen.push(admin.certificate),
      clock,
      logger: silentLogger,
    });
    await clock.advance(hour);
    current = pkiWith('second');
    await clock.advance(hour);
    expect(seen).toEqual(['first', 'second']);
  });

  test('are kept when they cannot be read, and no timer is left at the end', async () => {
    const clock = new VirtualClock();
    const http = recorder();
    const renewal = keepCertificatesCurrent(http, await readServingTls({}, pkiWith('first')), {
      files: {},
      openPki: () => Promise.reject(new Error('disk on fire')),
      clock,
      logger: silentLogger,
    });
    await clock.advance(2 * hour);
    renewal[Symbol.dispose]();
    expect({ shown: http.shown, timers: clock.pending }).toEqual({ shown: [], timers: 0 });
  });

  test('FLAG-57 come from files, and the client CA is used beside the own one', async () => {
    const files = {
      serving: { certificate: join(folder, 'tls.crt'), key: join(folder, 'tls.key') },
      clientCa: join(folder, 'ca.crt'),
    };
    await writeFile(files.serving.certificate, 'theirs');
    await writeFile(files.serving.key, 'their key');
    await writeFile(files.clientCa, ' and another');
    expect(await readServingTls(files, pkiWith('own'))).toEqual({
      certificate: 'theirs',
      key: 'their key',
      clientCa: 'ca and another',
      trusted: 'ca and another',
      named: [],
    });
  });

  test('FLAG-08 for other names come from files too, which are checked every minute', async () => {
    const clock = new VirtualClock();
    const http = recorder();
    const files = { named: [{ certificate: join(folder, 'web.crt'), key: join(folder, 'web.key'), names: ['web'] }] };
    await writeFile(join(folder, 'web.crt'), 'first');
    await writeFile(join(folder, 'web.key'), 'key');
    const pki = pkiWith('own');
    const first = await readServingTls(files, pki);
    expect(first.named).toEqual([{ certificate: 'first', key: 'key', names: ['web'] }]);
    using _renewal = keepCertificatesCurrent(http, first, {
      files,
      openPki: async () => pki,
      clock,
      logger: silentLogger,
    });
    await writeFile(join(folder, 'web.crt'), 'second');
    await clock.advance(60_000);
    await expect.poll(() => http.shown).toHaveLength(1);
    expect(http.shown[0]?.named).toEqual([{ certificate: 'second', key: 'key', names: ['web'] }]);
  });
});
