import type { PersistentVolume, Pod, VolumeAttachment } from '@coracle/api';
import { expect, test } from 'vitest';
import { type AttachmentView, planAttachments, type VolumeLookup, wantedVolumes } from './plan-attachments.js';

function volume(name: string, accessModes = ['ReadWriteOnce']): PersistentVolume {
  return {
    metadata: { name },
    spec: { accessModes, csi: { driver: 'csi.example.com', volumeHandle: `h-${name}` } },
  } as PersistentVolume;
}

function attachment(name: string): VolumeAttachment {
  return {
    metadata: { name: `csi-${name}` },
    spec: { attacher: 'csi.example.com', nodeName: 'n', source: { persistentVolumeName: name } },
    status: { attached: true },
  };
}

function view(parts: {
  desired?: PersistentVolume[];
  attached?: string[];
  elsewhere?: string[];
  inUse?: string[];
}): AttachmentView {
  const { desired = [], attached = [], elsewhere = [], inUse = [] } = parts;
  return {
    nodeName: 'n',
    desired: new Map(
      desired.map((one) => [
        one.metadata.name ?? '',
        { volume: one, driver: 'csi.example.com', handle: `h-${one.metadata.name}`, pods: [] },
      ]),
    ),
    attached: new Map(attached.map((name) => [name, attachment(name)])),
    elsewhere: (name) => (elsewhere.includes(name) ? ['other'] : []),
    inUse: new Set(inUse),
  };
}

function summary(view: AttachmentView): object {
  const { attach, detach, blocked } = planAttachments(view);
  return {
    attach: attach.map((one) => one.volume.metadata.name),
    detach: detach.map(({ metadata }) => metadata.name),
    blocked: blocked.map((one) => one.volume.metadata.name),
  };
}

test.each([
  ['attaches what a pod needs', view({ desired: [volume('a')] }), { attach: ['a'], detach: [], blocked: [] }],
  [
    'leaves what is attached',
    view({ desired: [volume('a')], attached: ['a'] }),
    { attach: [], detach: [], blocked: [] },
  ],
  ['detaches a volume that no pod uses', view({ attached: ['a'] }), { attach: [], detach: ['csi-a'], blocked: [] }],
  [
    'waits for the kubelet to unmount',
    view({ attached: ['a'], inUse: ['a'] }),
    { attach: [], detach: [], blocked: [] },
  ],
  [
    'does not attach an exclusive volume twice',
    view({ desired: [volume('a')], elsewhere: ['a'] }),
    { attach: [], detach: [], blocked: ['a'] },
  ],
  [
    'attaches a shared volume to several nodes',
    view({ desired: [volume('a', ['ReadWriteMany'])], elsewhere: ['a'] }),
    { attach: ['a'], detach: [], blocked: [] },
  ],
])('%s', (_, view, plan) => {
  expect(summary(view)).toEqual(plan);
});

test('volumes of drivers that need no attachment, and of pods that ended, are not attached', () => {
  const lookup = (attachRequired: boolean): VolumeLookup => ({
    claim: () => ({ metadata: {}, spec: { volumeName: 'a' } }),
    volume,
    driver: () => ({ metadata: {}, spec: { attachRequired } }),
  });
  const pod = (phase: string): Pod => ({
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [], volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c' } }] },
    status: { phase },
  });
  expect([...wantedVolumes([pod('Running')], lookup(true)).keys()]).toEqual(['a']);
  expect(wantedVolumes([pod('Running')], lookup(false)).size).toBe(0);
  expect(wantedVolumes([pod('Succeeded')], lookup(true)).size).toBe(0);
});
