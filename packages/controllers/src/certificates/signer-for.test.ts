import { refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import { startCluster } from '@coracle/cluster';
import { expect, test } from 'vitest';
import { nodeRequest } from './node-request.fixture.js';

test('a request is signed by the authority of its signer, and one whose signer has none is ignored', async () => {
  const orders: string[] = [];
  const signerOf = (name: string) => ({
    async sign() {
      orders.push(name);
      throw new Error('not now');
    },
  });
  await using cluster = await startCluster({
    listen: false,
    clock: 'virtual',
    nodes: 0,
    controllerManager: {
      certificateSigner: signerOf('common'),
      certificateSigners: { 'kubernetes.io/kube-apiserver-client': signerOf('client') },
    },
  });
  const requests = cluster.client.resource(refs.certificateSigningRequests);
  const approve = async (name: string, signerName: string) => {
    const usages = ['digital signature', 'client auth'];
    const spec = { signerName, usages, request: toBase64(new TextEncoder().encode(nodeRequest)) };
    await requests.create({ metadata: { name }, spec });
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    // A patch may be sent again when its answer was lost.
    await requests.patch(name, { status: { conditions } }, { type: 'merge', subresource: 'approval' });
    await cluster.settled();
  };
  await approve('kubelet', 'kubernetes.io/kube-apiserver-client-kubelet');
  expect(orders).toEqual([]);
  const { status } = await requests.get('kubelet');
  expect(status?.conditions?.map(({ type }) => type)).toEqual(['Approved']);
  await approve('client', 'kubernetes.io/kube-apiserver-client');
  expect(new Set(orders)).toEqual(new Set(['client']));
});
