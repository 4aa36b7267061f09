import { createPrivateKey, X509Certificate } from 'node:crypto';
import { type certificatesv1beta1, type Pod, refs } from '@coracle/api';
import { formatTime, fromBase64 } from '@coracle/apimachinery';
import { FeatureGates } from '@coracle/apiserver';
import { seededRandom, silentLogger } from '@coracle/base';
import { PodCertificates, type PodKeys } from '@coracle/kubelet';
import { createAuthority, createCertificateSigner, podKeys } from '@coracle/platform-nodejs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Cluster, startCluster } from '../start-cluster.js';

type Request = certificatesv1beta1.PodCertificateRequest;

const signerName = 'example.com/signer';
const projection = { signerName, keyType: 'ECDSAP256', credentialBundlePath: 'bundle.pem' };
const source = { volume: 'certificate', index: 0, projection };
const minuteMs = 60_000;

let cluster: Cluster;
let pod: Pod;
let certificates: PodCertificates;
let events: string[];
let issued: boolean[];
/** Number of times that no key can be generated. */
let failures: number;

const failingKeys: PodKeys = {
  generate: async (keyType) => {
    if (failures-- > 0) throw new Error('no entropy');
    return podKeys.generate(keyType);
  },
};

beforeEach(async () => {
  const runtimeConfig = { 'certificates.k8s.io/v1beta1': true };
  cluster = await startCluster({
    clock: 'virtual',
    nodes: 1,
    features: new FeatureGates({ PodCertificateRequest: true }),
    runtimeConfig,
  });
  const volumes = [{ name: 'certificate', projected: { sources: [{ podCertificate: projection }] } }];
  const containers = [{ name: 'c', image: 'app', volumeMounts: [{ name: 'certificate', mountPath: '/c' }] }];
  await cluster.client.pods('default').create({ metadata: { name: 'app' }, spec: { containers, volumes } });
  await cluster.settled();
  pod = await cluster.client.pods('default').get('app');
  const nodeName = pod.spec?.nodeName ?? '';
  events = [];
  issued = [];
  failures = 0;
  certificates = new PodCertificates({
    nodeName,
    client: cluster.controlPlane.clientFor(`system:node:${nodeName}`, ['system:nodes', 'system:authenticated']),
    keys: failingKeys,
    clock: cluster.clock,
    random: seededRandom(1),
    logger: silentLogger,
    activity: cluster.activity,
    recorder: { event: (_subject, _type, reason, message) => void events.push(`${reason}: ${message}`) },
    onIssued: (_pod, { isRenewed }) => void issued.push(isRenewed),
  });
}, 240_000);

afterEach(async () => {
  await certificates[Symbol.asyncDispose]();
  await cluster.stop();
}, 240_000);

const requests = () => cluster.client.resource(refs.podCertificateRequests, 'default');

/** The only pending request. */
async function open(): Promise<Request> {
  for (let turn = 0; turn < 200; turn++) {
    await cluster.settled();
    const { items } = await requests().list();
    const found = items.find(({ status }) => (status?.conditions ?? []).length === 0);
    if (found) return found;
  }
  throw new Error('there is no pending request');
}

async function signed({ spec }: Request): Promise<NonNullable<Request['status']>> {
  const now = Math.floor(cluster.clock.now() / 1000) * 1000;
  const notAfter = now + 120 * minuteMs;
  const authority = await createAuthority('ca', { notBefore: new Date(now), notAfter: new Date(now + 1e10) });
  const request = fromBase64(spec.stubPKCS10Request) ?? new Uint8Array();
  const order = { request, usages: ['client auth'], notBefore: now, notAfter };
  return {
    certificateChain: await createCertificateSigner(authority).sign(order),
    notBefore: formatTime(now),
    notAfter: formatTime(notAfter),
    beginRefreshAt: formatTime(now + 60 * minuteMs),
    conditions: [{ type: 'Issued', status: 'True', reason: 'Signed', message: 'yes' } as never],
  };
}

const decide = (request: Request, status: NonNullable<Request['status']>, user?: string) => {
  const client = user ? cluster.controlPlane.clientFor(user, ['system:authenticated']) : cluster.client;
  return client.resource(refs.podCertificateRequests, 'default').updateStatus({ ...request, status });
};

async function untilIssued(count: number) {
  for (let turn = 0; turn < 200 && issued.length < count; turn++) await cluster.settled();
  return certificates.credentials(pod, source);
}

test('a pod gets the certificate that a signer issues for the key of the kubelet, and the next one in time', async () => {
  await expect(certificates.credentials(pod, source)).rejects.toThrow('credential bundle is not issued yet');
  const request = await open();
  expect(request).toMatchObject({
    metadata: { generateName: 'req-', ownerReferences: [{ kind: 'Pod', name: 'app', uid: pod.metadata.uid }] },
    spec: { signerName, podName: 'app', serviceAccountName: 'default', maxExpirationSeconds: 86_400 },
  });
  await decide(request, await signed(request));
  const first = await untilIssued(1);
  expect(new X509Certificate(first.chain).checkPrivateKey(createPrivateKey(first.key))).toBe(true);
  await cluster.clock.advance('50m');
  expect(await certificates.credentials(pod, source)).toEqual(first);
  await cluster.clock.advance('20m');
  const renewal = await open();
  expect(await certificates.credentials(pod, source)).toEqual(first);
  await decide(renewal, await signed(renewal));
  const second = await untilIssued(2);
  expect(second.key).not.toBe(first.key);
  expect([issued, events]).toEqual([[false, true], []]);
}, 240_000);

test('failures are retried with backoff', async () => {
  failures = 5;
  await certificates.credentials(pod, source).catch(() => undefined);
  await cluster.clock.advance(50);
  expect([failures > 0, (await requests().list()).items]).toEqual([true, []]);
  await cluster.clock.advance(1_000);
  expect(await open()).toMatchObject({ spec: { podUID: pod.metadata.uid } });
}, 240_000);

test('a certificate that is not renewed is reported, once each', async () => {
  await certificates.credentials(pod, source).catch(() => undefined);
  const request = await open();
  await decide(request, await signed(request));
  await untilIssued(1);
  for (let step = 0; step < 30; step++) await cluster.clock.advance('5m');
  expect(events).toEqual([
    'CertificateOverdueForRefresh: PodCertificate refresh overdue',
    'CertificateExpired: PodCertificate expired',
  ]);
}, 240_000);

test.each([
  { type: 'Denied', verb: 'was denied' },
  { type: 'Failed', verb: 'failed' },
])(
  'a request that a signer has $type is not repeated',
  async ({ type, verb }) => {
    await certificates.credentials(pod, source).catch(() => undefined);
    const request = await open();
    const condition = { type, status: 'True', reason: 'UnsupportedKeyType', message: 'use RSA' };
    await decide(request, { conditions: [condition as never] });
    for (let turn = 0; turn < 200 && events.length === 0; turn++) await cluster.settled();
    expect(events).toEqual([
      `${type}: PodCertificateRequest default/${request.metadata.name} ${verb}, reason="UnsupportedKeyType", message="use RSA"`,
    ]);
    await expect(certificates.credentials(pod, source)).rejects.toThrow(
      `PodCertificateRequest was permanently ${type.toLowerCase()}: reason="UnsupportedKeyType" message="use RSA"`,
    );
    expect((await requests().list()).items).toHaveLength(1);
  },
  60_000,
);

test('requests are removed a quarter of an hour later, with pending ones', async () => {
  await certificates.credentials(pod, source).catch(() => undefined);
  await open();
  await certificates[Symbol.asyncDispose]();
  await cluster.clock.advance('21m');
  await cluster.settled();
  expect((await requests().list()).items).toEqual([]);
}, 240_000);

describe('requests that the API rejects', () => {
  test('a certificate from a user without the permission to sign', async () => {
    const rules = [
      {
        apiGroups: ['certificates.k8s.io'],
        resources: ['podcertificaterequests/status'],
        verbs: ['update'],
      },
    ];
    await cluster.client.resource(refs.clusterRoles).create({ metadata: { name: 'decider' }, rules });
    await cluster.client.resource(refs.clusterRoleBindings).create({
      metadata: { name: 'decider' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'decider' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'bob' }],
    });
    await certificates.credentials(pod, source).catch(() => undefined);
    const request = await open();
    await expect(decide(request, await signed(request), 'bob')).rejects.toThrow(
      'spec.signerName: Forbidden: User "bob" is not permitted to "sign" for signer "example.com/signer"',
    );
  }, 240_000);

  test('a certificate for another key, for too long, or after the decision', async () => {
    await certificates.credentials(pod, source).catch(() => undefined);
    const request = await open();
    const other = await podKeys.generate('ECDSAP256');
    const stubPKCS10Request = Buffer.from(other.request).toString('base64');
    const stolen = await signed({ ...request, spec: { ...request.spec, stubPKCS10Request } });
    await expect(decide(request, stolen)).rejects.toThrow(
      'leaf certificate was not issued to the requested public key',
    );
    const status = await signed(request);
    await expect(decide(request, { ...status, beginRefreshAt: status.notAfter ?? '' })).rejects.toThrow(
      'must be at least 10 minutes before status.notAfter',
    );
    const decided = await decide(request, status);
    const denied = { conditions: [{ type: 'Denied', status: 'True', reason: 'No', message: '' } as never] };
    await expect(decide(decided, denied)).rejects.toThrow(
      'immutable after PodCertificateRequest is issued, denied, or failed',
    );
  }, 240_000);

  test('other nodes do not see it', async () => {
    await certificates.credentials(pod, source).catch(() => undefined);
    const { metadata } = await open();
    const other = cluster.controlPlane.clientFor('system:node:other', ['system:nodes', 'system:authenticated']);
    const seen = other.resource(refs.podCertificateRequests, 'default');
    await expect(seen.get(metadata.name ?? '')).rejects.toThrow('no relationship found between node');
    await expect(seen.list()).rejects.toThrow('with spec.nodeName field selector');
  }, 240_000);
});
