import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { VirtualClock } from '@coracle/base';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openClusterPki } from './cluster-pki.js';

const day = 86_400_000;
let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-pki-'));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (clock: VirtualClock, serviceAddress = '10.96.0.1') => openClusterPki({ folder, clock, serviceAddress });

describe("a cluster's keys", () => {
  test('are made once, and only the owner can read the private ones', async () => {
    const clock = new VirtualClock();
    const first = await open(clock);
    expect(await open(clock)).toEqual(first);
    for (const name of ['ca.key', 'apiserver.key', 'admin.key', 'sa.key'])
      expect([name, (await stat(join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
  });

  test('SERVE-03 what is about to expire is made again by the same authority', async () => {
    const clock = new VirtualClock();
    const first = await open(clock);
    await clock.advance(304 * day);
    expect((await open(clock)).server).toEqual(first.server);
    await clock.advance(2 * day);
    const second = await open(clock);
    expect(second.ca).toEqual(first.ca);
    expect(second.server.certificate).not.toBe(first.server.certificate);
    expect(second.admin.certificate).not.toBe(first.admin.certificate);
    const renewed = new X509Certificate(second.server.certificate);
    expect(renewed.verify(new X509Certificate(second.ca.certificate).publicKey)).toBe(true);
    expect(Date.parse(renewed.validTo)).toBeGreaterThan(clock.now() + 300 * day);
  });

  test('a server with another address gets a certificate for it', async () => {
    const clock = new VirtualClock();
    const first = await open(clock);
    const second = await open(clock, '10.99.0.1');
    expect(second.server).not.toEqual(first.server);
    const certificate = new X509Certificate(second.server.certificate);
    for (const name of ['localhost', 'kubernetes', 'kubernetes.default.svc'])
      expect([name, certificate.checkHost(name)]).toEqual([name, name]);
    expect(certificate.checkIP('10.99.0.1')).toBe('10.99.0.1');
  });
});
