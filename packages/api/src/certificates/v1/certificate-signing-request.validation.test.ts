import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate } from '../../rules.fixture.js';
import { clientRequest } from './request.fixture.js';

const broken = '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n';
const request = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'c' },
  spec: { request: btoa(clientRequest), signerName: 'example.com/signer', usages: ['client auth'] },
};

test.each<[string, Changes, string[]]>([
  ['a request is signed by somebody for something', {}, []],
  [
    'it holds a request',
    { 'spec.request': undefined },
    ['spec.request: Invalid value: null: PEM block type must be CERTIFICATE REQUEST'],
  ],
  [
    'that can be read',
    { 'spec.request': btoa(broken) },
    [`spec.request: Invalid value: "${btoa(broken)}": asn1: syntax error: data truncated`],
  ],
  ['for a use', { 'spec.usages': [] }, ['spec.usages: Required value']],
  ['named once', { 'spec.usages': ['any', 'any'] }, ['spec.usages[1]: Duplicate value: "any"']],
  [
    'a signer has a domain',
    { 'spec.signerName': 'signer' },
    [
      'spec.signerName: Invalid value: "signer": must be a fully qualified domain and path of the form \'example.com/signer-name\'',
    ],
  ],
  [
    'of two parts at least',
    { 'spec.signerName': 'example/signer' },
    ['spec.signerName: Invalid value: "example": should be a domain with at least two segments separated by dots'],
  ],
  [
    'a certificate lives for ten minutes at least',
    { 'spec.expirationSeconds': 60 },
    ['spec.expirationSeconds: Invalid value: 60: may not specify a duration less than 600 seconds (10 minutes)'],
  ],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(request, changes)).toEqual(want);
});
