import { toBase64 } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { Authorizer } from '../../authorization/authorizer.js';
import { startTestServer } from '../../server.fixture.js';
import { admit } from './admit.fixture.js';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './certificate-signers.js';
import { mastersRequest } from './masters-request.fixture.js';

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

function authorizerFor(...allowed: string[]): Authorizer {
  return {
    name: 'test',
    authorize: ({ verb, name, resource }) =>
      resource !== 'signers' || allowed.includes(`${verb} ${name}`)
        ? { kind: 'allow', reason: '' }
        : { kind: 'no-opinion', reason: '' },
  };
}

async function start(authorizer: Authorizer) {
  const plugins = [
    certificateApproval({ authorizer }),
    certificateSigning({ authorizer }),
    certificateSubjectRestriction,
  ];
  const server = await startTestServer({ admission: () => plugins });
  const create = (signerName: string) =>
    server.call('POST', path, {
      kind: 'CertificateSigningRequest',
      apiVersion: 'certificates.k8s.io/v1',
      metadata: { name: 'r' },
      spec: { signerName, usages: ['client auth'], request: toBase64(new TextEncoder().encode(mastersRequest)) },
    });
  const approve = (body: { metadata: object }) =>
    server.call('PUT', `${path}/r/approval`, {
      ...body,
      status: { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'yes' }] },
    });
  return { ...server, create, approve };
}

/** A sequence of two empty sequences and a bit string without bits. */
const emptyCertificate = '-----BEGIN CERTIFICATE-----\nMAcwADAAAwEA\n-----END CERTIFICATE-----\n';

describe('certificate signing requests', () => {
  test('the group system:masters cannot be requested', async () => {
    const { create } = await start(authorizerFor());
    const { status, body } = await create('kubernetes.io/kube-apiserver-client');
    expect([status, body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed',
    ]);
  });

  test('only users who may `approve` for the signer approve', async () => {
    const { create, approve } = await start(authorizerFor());
    const { body } = await create('example.com/own');
    const refused = await approve(body);
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'certificatesigningrequests.certificates.k8s.io "r" is forbidden: user not permitted to approve requests with signerName "example.com/own"',
    ]);
  });

  test('a user with the permission for all signers of the domain approves; only users with `sign` write the certificate', async () => {
    const { create, approve, call } = await start(authorizerFor('approve example.com/*'));
    const approved = await approve((await create('example.com/own')).body);
    expect(approved.body.status.conditions[0]).toMatchObject({ type: 'Approved', status: 'True', reason: 'Test' });
    expect(approved.body.status.conditions[0].lastUpdateTime).toBeDefined();
    const status = { ...approved.body.status, certificate: btoa(emptyCertificate) };
    expect((await call('PUT', `${path}/r/status`, { ...approved.body, status })).status).toBe(403);
  });

  test('a decision is final', async () => {
    const { create, approve, call } = await start(authorizerFor('approve example.com/own', 'sign example.com/own'));
    const { body } = await approve((await create('example.com/own')).body);
    const undone = await call('PUT', `${path}/r/approval`, { ...body, status: { conditions: [] } });
    expect([undone.status, undone.body.message]).toEqual([
      422,
      'CertificateSigningRequest.certificates.k8s.io "r" is invalid: status.conditions: Forbidden: updates may not remove a condition of type "Approved"',
    ]);
    const afterStatus = await call('PUT', `${path}/r/status`, { ...body, status: {} });
    expect(afterStatus.body.status.conditions).toHaveLength(1);
  });
});

test('only users who may `attest` for the signer write its bundles', async () => {
  const bundle = (signerName?: string) => ({
    kind: 'ClusterTrustBundle',
    metadata: { name: 'b' },
    spec: { signerName },
  });
  const write = { resource: 'certificates.k8s.io/clustertrustbundles', namespace: '' };
  const attempt = (object: object, authorizer: Authorizer) =>
    admit(clusterTrustBundleAttest({ authorizer }), { ...write, object });
  expect((await attempt(bundle('example.com/own'), authorizerFor())).error).toBe(
    'clustertrustbundles.certificates.k8s.io "b" is forbidden: user not permitted to attest for signerName "example.com/own"',
  );
  expect((await attempt(bundle('example.com/own'), authorizerFor('attest example.com/*'))).error).toBeUndefined();
  expect((await attempt(bundle(), authorizerFor())).error).toBeUndefined();
  const owned = { ...bundle('example.com/own'), metadata: { name: 'b', finalizers: ['x'] } };
  const update = { ...write, operation: 'UPDATE', object: owned, oldObject: bundle('example.com/own') } as const;
  expect((await admit(clusterTrustBundleAttest({ authorizer: authorizerFor() }), update)).error).toBeUndefined();
});
