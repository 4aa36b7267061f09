import { type certificatesv1, refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { certificate, certificateEnd } from './expired-certificate.fixture.js';
import { nodeRequest } from './node-request.fixture.js';
import { isStale } from './request-state.js';

type Request = certificatesv1.CertificateSigningRequest;

const usages = ['digital signature', 'client auth'];

describe('certificate requests', () => {
  let cluster: Cluster;
  beforeEach(async () => {
    cluster = await startCluster({ nodes: 0 });
  });
  afterEach(() => cluster.stop());

  const ask = (signerName: string, user?: string, groups: readonly string[] = []) => {
    const client = user ? cluster.controlPlane.clientFor(user, groups) : cluster.client;
    return client.resource(refs.certificateSigningRequests).create({
      metadata: { name: 'r' },
      spec: { signerName, usages, request: toBase64(new TextEncoder().encode(nodeRequest)) },
    });
  };
  const current = () => cluster.client.resource(refs.certificateSigningRequests).get('r');
  async function untilSettled(): Promise<Request> {
    for (let turn = 0; turn < 200; turn++) {
      await cluster.settled();
      const request = await current();
      if (request.status?.certificate || request.status?.conditions?.some(({ type }) => type === 'Failed'))
        return request;
    }
    throw new Error('the request was not settled');
  }
  const approve = async (request: Request) => {
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: '' }];
    await cluster.client
      .resource(refs.certificateSigningRequests)
      .updateSubresource('r', 'approval', { ...request, status: { conditions } });
  };

  test('approved requests are signed', async () => {
    await approve(await ask('kubernetes.io/kube-apiserver-client'));
    const { status } = await untilSettled();
    expect(atob(status?.certificate ?? '')).toMatch(/^-----BEGIN CERTIFICATE-----\n/);
  });

  test('requests that the signer does not sign fail, with the reason', async () => {
    await approve(await ask('kubernetes.io/kubelet-serving'));
    const { status } = await untilSettled();
    expect(status?.conditions?.find(({ type }) => type === 'Failed')).toMatchObject({
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'DNS or IP subjectAltName is required',
    });
  });

  test('a node that requests its own certificate is approved automatically, if it is authorized', async () => {
    const nodes = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' };
    const name = 'system:certificates.k8s.io:certificatesigningrequests:selfnodeclient';
    await cluster.client.resource(refs.clusterRoleBindings).create({
      metadata: { name: 'renewal' },
      subjects: [nodes],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    });
    await ask('kubernetes.io/kube-apiserver-client-kubelet', 'system:node:n1', ['system:nodes', 'system:masters']);
    const { status } = await untilSettled();
    expect(status?.conditions).toMatchObject([
      {
        type: 'Approved',
        reason: 'AutoApproved',
        message: 'Auto approving self kubelet client certificate after SubjectAccessReview.',
      },
    ]);
  });
});

describe('which requests the cleaner deletes', () => {
  const hour = 60 * 60_000;
  const request = (status: Request['status']): Request => ({
    metadata: { name: 'r', creationTimestamp: '1970-01-01T00:00:00Z' },
    spec: { request: '', signerName: 'a.b/c' },
    ...(status && { status }),
  });
  const condition = (type: string) => ({ type, status: 'True', lastUpdateTime: '1970-01-01T00:00:00Z' });
  test.each<[string, Request['status'], number]>([
    ['a pending request, after a day', {}, 24],
    ['one that was denied, after an hour', { conditions: [condition('Denied')] }, 1],
    ['one that was issued, after an hour', { conditions: [condition('Approved')], certificate: 'eA==' }, 1],
    ['one that was approved and never signed, after a day', { conditions: [condition('Approved')] }, 24],
  ])('%s', (_name, status, hours) => {
    expect(isStale(request(status), hours * hour)).toBe(false);
    expect(isStale(request(status), hours * hour + 1000)).toBe(true);
  });

  test('one whose certificate has expired, at once', () => {
    const end = Date.parse(certificateEnd);
    const lastUpdateTime = new Date(end - 10 * 60_000).toISOString();
    const issued = request({
      conditions: [{ type: 'Approved', status: 'True', lastUpdateTime }],
      certificate: toBase64(new TextEncoder().encode(certificate)),
    });
    expect(isStale(issued, end)).toBe(false);
    expect(isStale(issued, end + 1000)).toBe(true);
  });
});
