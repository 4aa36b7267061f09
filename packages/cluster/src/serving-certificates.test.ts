import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger, VirtualClock } from '@coracle/base';
import type { ClusterPki } from '@coracle/platform-nodejs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keepCertificatesCurrent, readServingTls } from './serving-certificates.js';

const hour = 3_600_000;

function pkiWith(certificate: string): ClusterPki {
  const pair = { certificate, key: `${certificate}-key` };
  return {
    ca: { certificate: 'ca', key: 'ca-key' },
    server: pair,
    admin: pair,
    serviceAccountKey: { privateKey: '', publicKey: '' },
  };
}

function recorder() {
  const shown: string[][] = [];
  return { shown, setCertificate: (...parts: (string | undefined)[]) => void shown.push(parts as string[]) };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-certificates-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the certificates of a running server', () => {
  test('SERVE-03 are replaced when the cluster has made new ones, and not before', async () => {
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
    expect(http.shown).toEqual([['second', 'second-key', 'ca']]);
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

  test('stay when they cannot be read, and no timer is left at the end', async () => {
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

  test('FLAG-57 come from files, and the authority of clients stands beside the own one', async () => {
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
    });
  });
});
