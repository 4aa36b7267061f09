import { type certificatesv1, refs } from '@coracle/api';
import { toBase64 } from '@coracle/apimachinery';
import { type Cluster, startCluster } from '@coracle/cluster';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const encode = (text: string) => toBase64(new TextEncoder().encode(text));

/** An ECDSA key, `/CN=e2e.example.com`, as openssl made it, and a certificate of the same key. */
const request = encode(`-----BEGIN CERTIFICATE REQUEST-----
MIHTMHwCAQAwGjEYMBYGA1UEAwwPZTJlLmV4YW1wbGUuY29tMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEnIamzz+o+WDNwxU/VPrsmfbjGtD9Y5qJT34jLltnIS6h
R0LMOrUNabGFMjIRbS32EYQsIhUiIKERpAchnJjAgKAAMAoGCCqGSM49BAMCA0cA
MEQCIA+zwIhm/x46Q5xtSOJupaYQW8nioENaH6cTPSXg9fVzAiBbw8JgVMuzGl5z
/lEwBYBX52lt4H3pfjqwkMrGIyCrgA==
-----END CERTIFICATE REQUEST-----
`);
const certificate = encode(`-----BEGIN CERTIFICATE-----
MIIBiDCCAS+gAwIBAgIUbi0sF1ThzZAkjo+gb5DMCTVBuMUwCgYIKoZIzj0EAwIw
GjEYMBYGA1UEAwwPZTJlLmV4YW1wbGUuY29tMB4XDTI2MTExNjE3MzM0N1oXDTM2
MTExMzE3MzM0N1owGjEYMBYGA1UEAwwPZTJlLmV4YW1wbGUuY29tMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEnIamzz+o+WDNwxU/VPrsmfbjGtD9Y5qJT34jLltn
IS6hR0LMOrUNabGFMjIRbS32EYQsIhUiIKERpAchnJjAgKNTMFEwHQYDVR0OBBYE
FDmrs5dV9UZKPTy7uPOQEdJ9BgQZMB8GA1UdIwQYMBaAFDmrs5dV9UZKPTy7uPOQ
EdJ9BgQZMA8GA1UdEwEB/wQFMAMBAf8wCgYIKoZIzj0EAwIDRwAwRAIgaTAocWAk
o/ffDwjMwveYRbzInm6vISKc+329WW+agyECIERVeVah8UeD1HW2UneU33XKIsCP
Vfcnc1PPUsd7d9Bx
-----END CERTIFICATE-----
`);

const signerName = 'example.com/e2e';
const usages = ['digital signature', 'key encipherment', 'server auth'];
const ofSigner = { fieldSelector: `spec.signerName=${signerName}` };
const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';

type Request = certificatesv1.CertificateSigningRequest;

/** Upstream's test of "Certificates API". */
describe('certificate signing requests as the conformance tests use them', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster({ listen: false, clock: 'virtual', nodes: 0, seed: 1 });
  });
  afterAll(() => cluster?.stop());

  async function change(method: string, at: string, body: object): Promise<Request> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const answer = await cluster.client.raw(method, `${path}/${at}`, { body, contentType });
    expect(answer.status).toBe(200);
    return answer.body as Request;
  }
  const typesOf = ({ status }: Request) => status?.conditions?.map(({ type }) => type);

  test('should support CSR API operations', async () => {
    const client = cluster.client.resource(refs.certificateSigningRequests);
    const metadata = { generateName: 'e2e-example-csr-' };
    const create = () => client.create({ metadata, spec: { request, signerName, expirationSeconds: 3600, usages } });
    await create();
    await create();
    const made = await create();
    const { name = '' } = made.metadata;
    expect((await client.get(name)).spec.expirationSeconds).toBe(3600);
    expect((await client.list(ofSigner)).items).toHaveLength(3);

    const patched = await change('PATCH', name, { metadata: { annotations: { patched: 'true' } } });
    const updated = await client.update({
      ...patched,
      metadata: { ...patched.metadata, annotations: { patched: 'true', updated: 'true' } },
    });
    expect(updated.metadata.annotations).toEqual({ patched: 'true', updated: 'true' });

    const approval = await change('PATCH', `${name}/approval`, {
      metadata: { annotations: { patchedapproval: 'true' } },
      status: { conditions: [{ type: 'ApprovalPatch', status: 'True', reason: 'e2e' }] },
    });
    expect(approval.metadata.annotations).toMatchObject({ patchedapproval: 'true' });
    expect(typesOf(approval)).toEqual(['ApprovalPatch']);
    const approved = { type: 'Approved', status: 'True', reason: 'E2E', message: 'Set from an e2e test' };
    const conditions = [...(approval.status?.conditions ?? []), approved];
    const both = await change('PUT', `${name}/approval`, { ...approval, status: { ...approval.status, conditions } });
    expect(typesOf(both)).toEqual(['ApprovalPatch', 'Approved']);

    const signed = await change('PATCH', `${name}/status`, {
      metadata: { annotations: { patchedstatus: 'true' } },
      status: { certificate },
    });
    expect(signed.status?.certificate).toBe(certificate);
    const more = [...(signed.status?.conditions ?? []), { type: 'StatusUpdate', status: 'True', reason: 'E2E' }];
    const last = await change('PUT', `${name}/status`, { ...signed, status: { ...signed.status, conditions: more } });
    expect(typesOf(last)).toEqual(['Approved', 'ApprovalPatch', 'StatusUpdate']);

    await client.delete(name);
    expect((await client.list(ofSigner)).items).toHaveLength(2);
    await client.deleteCollection(ofSigner);
    expect((await client.list(ofSigner)).items).toEqual([]);
  });
});
