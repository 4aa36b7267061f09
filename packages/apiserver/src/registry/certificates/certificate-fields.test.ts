import { toBase64 } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { mastersRequest } from '../../admission/plugins/masters-request.fixture.js';
import { startTestServer } from '../../server.fixture.js';

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const apply = { 'content-type': 'application/apply-patch+yaml' };
const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'yes' };
const bytes = (text: string) => toBase64(new TextEncoder().encode(text));
const certificate = bytes('-----BEGIN CERTIFICATE-----\nMAcwADAAAwEA\n-----END CERTIFICATE-----\n');

test('approvers own conditions, signers the certificate, and requesters neither spec nor status', async () => {
  const { call } = await startTestServer();
  const spec = { signerName: 'example.com/s', usages: ['client auth'], request: bytes(mastersRequest) };
  const kind = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest' };
  await call('POST', `${path}?fieldManager=requester`, { ...kind, metadata: { name: 'r', labels: { a: 'b' } }, spec });
  const send = (endpoint: string, status: object) =>
    call(
      'PATCH',
      `${path}/r/${endpoint}?fieldManager=${endpoint}&force=true`,
      { ...kind, metadata: { name: 'r' }, status },
      apply,
    );
  expect(await send('approval', { conditions: [approved] })).toMatchObject({ status: 200 });
  const { status, body } = await send('status', { certificate, conditions: [approved] });
  expect({ status, certificate: body.status.certificate }).toEqual({ status: 200, certificate });

  const entries: readonly { readonly manager: string; readonly fieldsV1: object }[] = body.metadata.managedFields;
  const owned = Object.fromEntries(entries.map(({ manager, fieldsV1 }) => [manager, fieldsV1]));
  expect(owned['requester']).toEqual({ 'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } } });
  expect(owned['approval']).toMatchObject({ 'f:status': { 'f:conditions': { 'k:{"type":"Approved"}': {} } } });
  expect(owned['status']).toEqual({ 'f:status': { 'f:certificate': {} } });
});
