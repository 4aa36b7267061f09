import { expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate } from '../../rules.fixture.js';
import { authority, leaf } from './certificates.fixture.js';

const bundle = {
  apiVersion: 'certificates.k8s.io/v1beta1',
  kind: 'ClusterTrustBundle',
  metadata: { name: 'example.com:signer:one' },
  spec: { signerName: 'example.com/signer', trustBundle: authority },
};
const field = 'spec.trustBundle: Invalid value: "<value omitted>"';

test.each<[string, Changes, string[]]>([
  ['a bundle of a signer bears its name', {}, []],
  [
    'and no other',
    { 'metadata.name': 'one' },
    [
      'metadata.name: Invalid value: "one": ClusterTrustBundle for signerName example.com/signer must be named with prefix example.com:signer:',
    ],
  ],
  ['one without a signer has a plain name', { 'metadata.name': 'one', 'spec.signerName': undefined }, []],
  [
    'without a colon',
    { 'spec.signerName': undefined },
    [
      'metadata.name: Invalid value: "example.com:signer:one": ClusterTrustBundle without signer name must not have ":" in its name',
    ],
  ],
  ['it holds something', { 'spec.trustBundle': '' }, [`${field}: at least one trust anchor must be provided`]],
  ['of authorities', { 'spec.trustBundle': leaf }, [`${field}: entry 0 does not have the CA bit set`]],
  [
    'that can be read',
    { 'spec.trustBundle': `${authority}-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n` },
    [`${field}: entry 1 does not parse as X.509`],
  ],
  [
    'and no keys',
    { 'spec.trustBundle': authority.replaceAll('CERTIFICATE', 'PRIVATE KEY') },
    [`${field}: entry 0 has bad block type: PRIVATE KEY`],
  ],
  ['each once', { 'spec.trustBundle': authority + authority }, [`${field}: duplicate trust anchor (indices [0 1])`]],
])('%s', (_sentence, changes, want) => {
  expect(problemsOnCreate(bundle, changes)).toEqual(want);
});

test('the content of a bundle is not validated again if unchanged, and the signer is immutable', () => {
  const old = { ...bundle, spec: { ...bundle.spec, trustBundle: leaf } };
  expect(problemsOnUpdate(old, { 'metadata.labels': { a: 'b' } })).toEqual([]);
  expect(problemsOnUpdate(bundle, { 'metadata.name': 'one', 'spec.signerName': '' })).toEqual([
    'spec.signerName: Invalid value: "": field is immutable',
  ]);
});
