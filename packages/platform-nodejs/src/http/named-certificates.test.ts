import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ClusterPki, openClusterPki } from '../pki/cluster-pki.js';
import { systemClock } from '../system-clock.js';
import { NamedCertificates } from './named-certificates.js';

let folder: string;
let pki: ClusterPki;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'coracle-named-'));
  pki = await openClusterPki({ folder, clock: systemClock, serviceAddress: '10.96.0.1' });
});
afterAll(() => rm(folder, { recursive: true }));

test.each([
  ['10.96.0.1', [], true],
  ['::ffff:10.96.0.1', [], true],
  ['10.96.0.2', [], false],
  ['fd00::1', ['FD00:0:0:0::1'], true],
  ['fd00:0:0:0:0:0:0:1', ['fd00::1'], true],
  ['fd00::2', ['fd00::1'], false],
])('at %s with the names %j a certificate is found: %s', (address, names, isFound) => {
  const certificates = new NamedCertificates([{ ...pki.server, names }], {});
  expect(certificates.findAddress(address)?.cert).toBe(isFound ? pki.server.certificate : undefined);
});
