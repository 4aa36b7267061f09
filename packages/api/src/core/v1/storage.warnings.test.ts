import { describe, expect, test } from 'vitest';
import { runtimeClassWarnings } from '../../node/v1/runtime-class.warnings.js';
import { nodeWarnings } from './node.warnings.js';
import { persistentVolumeClaimWarnings, persistentVolumeWarnings } from './persistent-volume.warnings.js';
import { secretWarnings } from './secret.warnings.js';

const oldClass = { 'volume.beta.kubernetes.io/storage-class': 'slow' };
const oldClassWarning =
  'metadata.annotations[volume.beta.kubernetes.io/storage-class]: deprecated since v1.8; use "storageClassName" attribute instead';

describe('a volume', () => {
  test('of the usual kind has no warnings', () => {
    expect(persistentVolumeWarnings({ metadata: {}, spec: { persistentVolumeReclaimPolicy: 'Retain' } })).toEqual([]);
  });

  test('with settings in annotations, which is recycled, is worth three warnings', () => {
    const annotations = { ...oldClass, 'volume.beta.kubernetes.io/mount-options': 'ro' };
    const volume = { metadata: { annotations }, spec: { persistentVolumeReclaimPolicy: 'Recycle' } };
    expect(persistentVolumeWarnings(volume)).toEqual([
      oldClassWarning,
      'metadata.annotations[volume.beta.kubernetes.io/mount-options]: deprecated since v1.31; use "mountOptions" attribute instead',
      'spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.',
    ]);
  });

  test('of a removed plugin, for nodes by a deprecated label, has two', () => {
    const matchExpressions = [{ key: 'beta.kubernetes.io/os', operator: 'In', values: ['not a label'] }];
    const nodeAffinity = { required: { nodeSelectorTerms: [{ matchExpressions }] } };
    const storageos = { volumeName: 'v' };
    expect(persistentVolumeWarnings({ metadata: {}, spec: { nodeAffinity, storageos } })).toEqual([
      'spec.nodeAffinity.required.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/os is deprecated since v1.14; use "kubernetes.io/os" instead',
      'spec.storageOS: deprecated in v1.22, non-functional in v1.25+',
    ]);
  });

  test('that is claimed with an annotation is worth one', () => {
    expect(persistentVolumeClaimWarnings({ metadata: { annotations: oldClass } })).toEqual([oldClassWarning]);
  });
});

test('unused fields of nodes, and deprecated labels in runtime classes', () => {
  expect(nodeWarnings({ metadata: {}, spec: { configSource: {}, externalID: 'x' } })).toEqual([
    'spec.configSource: the feature is removed',
    'spec.externalID: this field is deprecated, and is unused by Kubernetes',
  ]);
  const nodeSelector = { 'node-role.kubernetes.io/master': '', other: '' };
  expect(runtimeClassWarnings({ metadata: {}, handler: 'h', scheduling: { nodeSelector } })).toEqual([
    'scheduling.nodeSelector: use "node-role.kubernetes.io/control-plane" instead',
  ]);
});

describe('a secret for TLS', () => {
  const pem = (type: string) => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`;
  const certificate = pem('CERTIFICATE');
  const key = pem('EC PRIVATE KEY');
  test.each([
    { name: 'with both is fine', crt: certificate, key, warnings: [] },
    { name: 'with parameters before its key is fine', crt: certificate, key: pem('EC PARAMETERS') + key, warnings: [] },
    {
      name: 'without a certificate',
      crt: '',
      key,
      warnings: ['tls: failed to find any PEM data in certificate input'],
    },
    {
      name: 'with its parts in each other’s place',
      crt: key,
      key: certificate,
      warnings: [
        'tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched',
      ],
    },
    {
      name: 'with a certificate for a key',
      crt: certificate,
      key: certificate,
      warnings: ['tls: found a certificate rather than a key in the PEM for the private key'],
    },
    {
      name: 'with something else for a key',
      crt: certificate,
      key: pem('X') + pem('Y'),
      warnings: [
        'tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [X Y]',
      ],
    },
  ])('$name', ({ crt, key: held, warnings }) => {
    const data = { 'tls.crt': btoa(crt), 'tls.key': btoa(held) };
    expect(secretWarnings({ metadata: {}, type: 'kubernetes.io/tls', data })).toEqual(warnings);
  });

  test('is the only type that is checked', () => {
    expect(secretWarnings({ metadata: {}, type: 'Opaque', data: { 'tls.crt': 'eA==' } })).toEqual([]);
  });
});
