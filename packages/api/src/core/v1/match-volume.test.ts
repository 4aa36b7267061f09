import { describe, expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../generated/types/core-v1.js';
import { claimMismatch, findVolume } from './match-volume.js';

function volume(
  name: string,
  spec: Partial<PersistentVolume['spec']> = {},
  more: Partial<PersistentVolume> = {},
): PersistentVolume {
  const usual = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], storageClassName: 'fast' };
  return { metadata: { name }, spec: { ...usual, ...spec }, status: { phase: 'Available' }, ...more };
}

function claim(spec: Partial<PersistentVolumeClaim['spec']> = {}): PersistentVolumeClaim {
  const usual = {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'fast',
    resources: { requests: { storage: '1Gi' } },
  };
  return { metadata: { name: 'c', namespace: 'ns', uid: 'u' }, spec: { ...usual, ...spec } };
}

const ref = (uid?: string) => ({ name: 'c', namespace: 'ns', ...(uid && { uid }) });

describe('findVolume', () => {
  test.each<[string, PersistentVolumeClaim, PersistentVolume[], string | undefined]>([
    [
      'the smallest that is large enough',
      claim(),
      [
        volume('big', { capacity: { storage: '5Gi' } }),
        volume('fit'),
        volume('small', { capacity: { storage: '1Mi' } }),
      ],
      'fit',
    ],
    [
      'the one with fewer modes beyond those requested',
      claim(),
      [
        volume('any', { accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
        volume('big', { capacity: { storage: '5Gi' } }),
      ],
      'big',
    ],
    [
      'all modes that are requested',
      claim({ accessModes: ['ReadWriteOnce', 'ReadWriteMany'] }),
      [volume('once')],
      undefined,
    ],
    ['the class', claim({ storageClassName: 'slow' }), [volume('fast')], undefined],
    ['no class means no class', claim({ storageClassName: '' }), [volume('fast')], undefined],
    ['the mode', claim({ volumeMode: 'Block' }), [volume('fs'), volume('raw', { volumeMode: 'Block' })], 'raw'],
    [
      'the selector',
      claim({ selector: { matchLabels: { tier: 'gold' } } }),
      [volume('plain'), volume('gold', {}, { metadata: { name: 'gold', labels: { tier: 'gold' } } })],
      'gold',
    ],
    [
      'one that a user bound to it',
      claim(),
      [volume('free'), volume('mine', { claimRef: ref(), capacity: { storage: '9Gi' } })],
      'mine',
    ],
    ['not one of another claim', claim(), [volume('taken', { claimRef: { ...ref(), name: 'other' } })], undefined],
    ['not one of a former claim of the same name', claim(), [volume('old', { claimRef: ref('before') })], undefined],
    [
      'not one that is deleted',
      claim(),
      [volume('going', {}, { metadata: { name: 'going', deletionTimestamp: '2026-01-01T00:00:00Z' } })],
      undefined,
    ],
    ['not one that is not available yet', claim(), [volume('new', {}, { status: { phase: 'Pending' } })], undefined],
    ['its attributes class', claim({ volumeAttributesClassName: 'gold' }), [volume('plain')], undefined],
  ])('%s', (_name, claim, volumes, found) => {
    expect(findVolume(claim, volumes)?.metadata.name).toBe(found);
  });

  test('a delayed claim gets only a volume that is already bound to it', () => {
    expect(findVolume(claim(), [volume('free')], { delayed: true })).toBeUndefined();
    expect(findVolume(claim(), [volume('mine', { claimRef: ref() })], { delayed: true })?.metadata.name).toBe('mine');
  });
});

test.each([
  ['requested PV is too small', claim({ resources: { requests: { storage: '2Gi' } } })],
  ['storageClassName does not match', claim({ storageClassName: 'slow' })],
  ['incompatible volumeMode', claim({ volumeMode: 'Block' })],
  ['incompatible accessMode', claim({ accessModes: ['ReadWriteMany'] })],
  [undefined, claim()],
])('claimMismatch: %s', (message, claim) => {
  expect(claimMismatch(volume('v'), claim)).toBe(message);
});
