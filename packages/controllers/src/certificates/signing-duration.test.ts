import { refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import type { SigningOrder } from './certificate-signer.js';
import { nodeRequest } from './node-request.fixture.js';

const minute = 60_000;
const hour = 60 * minute;

/** Remaining validity of the certificate of a request. */
async function validFor(durationMs: Millis | undefined, expirationSeconds?: number): Promise<Millis | undefined> {
  const orders: SigningOrder[] = [];
  const certificateSigner = {
    async sign(order: SigningOrder) {
      orders.push(order);
      return '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n';
    },
  };
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: { certificateSigner, ...(durationMs && { certificateSigning: { durationMs } }) },
  });
  const requests = cluster.client.resource(refs.certificateSigningRequests);
  const request = await requests.create({
    metadata: { name: 'r' },
    spec: {
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['digital signature', 'client auth'],
      request: toBase64(new TextEncoder().encode(nodeRequest)),
      ...(expirationSeconds !== undefined && { expirationSeconds }),
    },
  });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
  await requests.updateSubresource('r', 'approval', { ...request, status: { conditions } });
  await cluster.settled();
  const [order] = orders;
  return order && order.notAfter - cluster.clock.now();
}

test.each<[string, Millis | undefined, number | undefined, Millis]>([
  ['a year unless stated', undefined, undefined, 365 * 24 * hour - 5 * minute],
  ['as the flag says', 24 * hour, undefined, 24 * hour - 5 * minute],
  ['as short as requested', 24 * hour, 12 * 3600, 12 * hour - 5 * minute],
  ['no longer than the flag says', 24 * hour, 48 * 3600, 24 * hour - 5 * minute],
  ['in full, if that is less than eight hours', 24 * hour, 3600, hour],
])('certificates are valid %s', async (_name, durationMs, expirationSeconds, validMs) => {
  expect(await validFor(durationMs, expirationSeconds)).toBe(validMs);
});
