import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate } from '../../rules.fixture.js';
import { clientRequest } from './request.fixture.js';

const broken = '-----BEGIN CERTIFICATE REQUEST-----\nMA==\n-----END CERTIFICATE REQUEST-----\n';
const yes = (type: string) => ({ type, status: 'True' });
const inPem = (body: string) => `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`;
const request = {
  apiVersion: 'certificates.k8s.io/v1',
  kind: 'CertificateSigningRequest',
  metadata: { name: 'c' },
  spec: { request: btoa(clientRequest), signerName: 'example.com/signer', usages: ['client auth'] },
};

test.each<[string, Changes, string[]]>([
  ['a request has a signer and usages', {}, []],
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
  [
    'the signer of old is no longer asked',
    { 'spec.signerName': 'kubernetes.io/legacy-unknown' },
    [
      'spec.signerName: Invalid value: "kubernetes.io/legacy-unknown": the legacy signerName is not allowed via this API version',
    ],
  ],
  [
    'who approves does not deny',
    { 'status.conditions': [yes('Approved'), yes('Denied')] },
    ['status.conditions[1].type: Invalid value: "Denied": Approved and Denied conditions are mutually exclusive'],
  ],
  [
    'what is decided is true',
    { 'status.conditions': [{ type: 'Failed', status: 'False' }] },
    ['status.conditions[0].status: Unsupported value: "False": supported values: "True"'],
  ],
  [
    'and other conditions have a status that is known',
    { 'status.conditions': [{ type: 'Odd', status: 'Maybe' }] },
    ['status.conditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"'],
  ],
  [
    'each once, and with a type',
    { 'status.conditions': [yes('A'), yes('A'), yes('')] },
    ['status.conditions[1].type: Duplicate value: "A"', 'status.conditions[2].type: Required value'],
  ],
  [
    'a certificate is a certificate',
    { 'status.certificate': btoa(clientRequest) },
    [
      'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"',
    ],
  ],
  [
    'in the form of one',
    { 'status.certificate': btoa('a certificate') },
    ['status.certificate: Invalid value: "<certificate data>": must contain at least one CERTIFICATE PEM block'],
  ],
  [
    'without headers',
    { 'status.certificate': btoa(inPem('A: b\n\nMA==')) },
    ['status.certificate: Invalid value: "<certificate data>": no PEM block headers are permitted'],
  ],
  [
    'that can be read',
    { 'status.certificate': btoa(inPem('MA==')) },
    ['status.certificate: Invalid value: "<certificate data>": x509: malformed certificate'],
  ],
  // A sequence of two empty sequences and a bit string without bits.
  ['by its three parts', { 'status.certificate': btoa(inPem(btoa('\x30\x07\x30\x00\x30\x00\x03\x01\x00'))) }, []],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(request, changes)).toEqual(want);
});
