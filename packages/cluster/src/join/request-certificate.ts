import { setTimeout as wait } from 'node:timers/promises';
import { refs } from '@coracle/api';
import { findCondition } from '@coracle/apimachinery';
import type { Client } from '@coracle/client';
import { createSigningRequest, type KeyPair } from '@coracle/platform-nodejs';

const pollMs = 500;
const mostPolls = 600;

/** Requests a client certificate of a node, and waits until it is approved and signed. */
export async function requestNodeCertificate(client: Client, nodeName: string): Promise<KeyPair> {
  const { request, key } = await createSigningRequest(`system:node:${nodeName}`, ['system:nodes']);
  const requests = client.resource(refs.certificateSigningRequests);
  const { metadata } = await requests.create({
    metadata: { generateName: 'node-csr-' },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    },
  });
  const name = metadata.name ?? '';
  for (let polls = 0; polls < mostPolls; polls++) {
    const { status } = await requests.get(name);
    const denied = findCondition(status?.conditions, 'Denied') ?? findCondition(status?.conditions, 'Failed');
    if (denied) throw new Error(`the certificate request ${name} was refused: ${denied.message ?? denied.reason}`);
    if (status?.certificate) return { certificate: Buffer.from(status.certificate, 'base64').toString('utf8'), key };
    await wait(pollMs);
  }
  throw new Error(
    `the certificate request ${name} was not signed in time: approve it with kubectl certificate approve ${name}`,
  );
}
