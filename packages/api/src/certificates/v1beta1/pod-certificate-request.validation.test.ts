import { expect, test } from 'vitest';
import type { PodCertificateRequest } from '../../generated/types/certificates-v1beta1.js';
import { setPodCertificateRequestDefaults } from './pod-certificate-request.defaults.js';
import {
  validatePodCertificateRequest,
  validatePodCertificateRequestUpdate,
} from './pod-certificate-request.validation.js';

/** Made with openssl: an ECDSA key on P-256, without a name. */
const stubPKCS10Request = [
  'MIG5MGICAQAwADBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABFrQlNfZffRQx9P6j1Mj0zb7baSmgPAiy1TRtuh3Q3kIOZKW',
  'raHEn/ZSMPxB0TSrb77po4woxW1oIoJJQwjMmO6gADAKBggqhkjOPQQDAgNHADBEAiBQS7Lz2f28rMCyxmDBrFUqSjhM4daE',
  '5YHWdOEfwmzMnQIgctgPvjFPJ8aIwNllM4YV84Pm1o7JYhCghug3BXFS5Ws=',
].join('');
/** A public RSA key of 2048 bits. */
const shortKey = [
  'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAr41+kvwIcZ7GJgOrvNpfN8LPbGUIQRFZvSNULnzzVWvN3TF1s1Qc',
  'OLRZOscJehfnayT0HJZQjD66vN+gt9RVfeyUbPlCpUDTCL96hUzkyBndfGbG+AgXlpULNdProOOf/bcvjD00XdfFH9lafhP8',
  'dX2JOXMiIRUWV4jKD93sBjyLjT9zKQNd1FoVJkE9Xj2TBZDXKfc1rZPe/vyonzz3HvWnE2C0wxreaz/9TzcfZMVuyfQUkbom',
  'Vi50a3MMDw7IzEQ+5f5VUmZ7g4JR2fvEYJ0i7JFYogqiOH5JJmlBUitUjikXvTmkv3MCyjTglXEbai8nl+KdLD5P0RBG5vzw',
  'MQIDAQAB',
].join('');

function requestWith(change: object): PodCertificateRequest {
  const spec = {
    signerName: 'example.com/signer',
    podName: 'pod',
    podUID: 'u1',
    serviceAccountName: 'default',
    serviceAccountUID: 'u2',
    nodeName: 'node',
    nodeUID: 'u3',
    stubPKCS10Request,
  };
  const request: PodCertificateRequest = { metadata: { name: 'r' }, spec: { ...spec, ...change } };
  setPodCertificateRequestDefaults(request);
  return request;
}

const oneOf = 'exactly one of (stubPKCS10Request) or (pkixPublicKey, proofOfPossession) must be set';

test.each([
  { change: {}, says: [] },
  { change: { signerName: 'kubernetes.io/x', maxExpirationSeconds: 86_401 }, says: ['<= 86400'] },
  { change: { maxExpirationSeconds: 3599 }, says: ['>= 3600'] },
  { change: { podName: 'A', nodeUID: '' }, says: ['spec.podName: Invalid value: "A"', 'spec.nodeUID: Required value'] },
  { change: { podUID: 'u'.repeat(129) }, says: ['spec.podUID: Too long'] },
  { change: { unverifiedUserAnnotations: { plain: 'x' } }, says: ['must be a domain-prefixed key'] },
  { change: { stubPKCS10Request: '' }, says: [oneOf] },
  { change: { pkixPublicKey: 'AAAA', proofOfPossession: 'AAAA' }, says: [oneOf] },
  { change: { stubPKCS10Request: 'AAAA' }, says: ['must be a valid PKCS#10 CSR'] },
  {
    change: { stubPKCS10Request: '', pkixPublicKey: shortKey, proofOfPossession: 'AAAA' },
    says: ['spec.pkixPublicKey: Invalid value: "<value omitted>": RSA keys must have modulus size 3072 or 4096'],
  },
])('a request with $change', ({ change, says }) => {
  const errors = validatePodCertificateRequest(requestWith(change)).map(({ field, body }) => `${field}: ${body}`);
  expect(errors).toHaveLength(says.length);
  for (const [index, text] of says.entries()) expect(errors[index]).toContain(text);
});

test('the request is immutable', () => {
  const [before, after] = [requestWith({}), requestWith({ nodeName: 'other' })];
  expect(validatePodCertificateRequestUpdate(before, before)).toEqual([]);
  expect(validatePodCertificateRequestUpdate(after, before)).toMatchObject([{ field: 'spec' }]);
});
