import type { PersistentVolume, Pod, VolumeAttachment } from '@coracle/api';
import { expect, test } from 'vitest';
import {
  type AttachmentView,
  healthOf,
  type NodeHealth,
  planAttachments,
  unwantedVolumes,
  type VolumeLookup,
  wantedVolumes,
} from './plan-attachments.js';

const now = 1_000_000;
const sixMinutes = 6 * 60_000;

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
  health?: Partial<NodeHealth>;
  unwantedSince?: number;
  unmountMs?: number | undefined;
}): AttachmentView {
  const { desired = [], attached = [], elsewhere = [], inUse = [], unwantedSince = now, health } = parts;
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
    health: { isReady: true, isOutOfService: false, ...health },
    unwantedSince: new Map(attached.map((name) => [name, unwantedSince])),
    now,
    unmountMs: 'unmountMs' in parts ? parts.unmountMs : sixMinutes,
  };
}

function summary(view: AttachmentView): object {
  const { attach, detach, blocked } = planAttachments(view);
  return {
    attach: attach.map((one) => one.volume.metadata.name),
    detach: detach.map(({ attachment }) => attachment.metadata.name),
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

const mounted = { attached: ['a'], inUse: ['a'] };
const down = { isReady: false };
const outOfService = { isReady: false, isOutOfService: true };
const late = now - sixMinutes;

test.each<[string, AttachmentView, { forced?: string; detached: boolean; forceAt?: number }]>([
  [
    'an unhealthy node, until six minutes have passed',
    view({ ...mounted, health: down, unwantedSince: late + 1 }),
    { detached: false, forceAt: now + 1 },
  ],
  [
    'an unhealthy node after six minutes',
    view({ ...mounted, health: down, unwantedSince: late }),
    { detached: true, forced: 'timeout' },
  ],
  ['a healthy node after six minutes', view({ ...mounted, unwantedSince: late }), { detached: false }],
  [
    'an unhealthy node, if the timeout is disabled',
    view({ ...mounted, health: down, unwantedSince: late, unmountMs: undefined }),
    { detached: false },
  ],
  [
    'a node that is out of service, at once',
    view({ ...mounted, health: outOfService }),
    { detached: true, forced: 'out-of-service' },
  ],
  [
    'a node that is out of service, even if the timeout is disabled',
    view({ ...mounted, health: outOfService, unmountMs: undefined }),
    { detached: true, forced: 'out-of-service' },
  ],
  [
    'a node that is out of service, but whose pod stays',
    view({ ...mounted, desired: [volume('a')], health: outOfService }),
    { detached: false },
  ],
  ['a node that has unmounted it', view({ attached: ['a'] }), { detached: true }],
])('a mounted volume that no pod needs, on %s', (_, view, { detached, forced, forceAt }) => {
  const plan = planAttachments(view);
  expect(plan.detach.map((one) => one.forced)).toEqual(detached ? [forced] : []);
  expect(plan.forceAt).toBe(forceAt);
});

test('the time of an unneeded volume starts when it is first observed, and again after a pod has needed it', () => {
  const { attached, desired } = view({ attached: ['a', 'b'] });
  const first = unwantedVolumes(new Map([['a', 5]]), { attached, desired, now });
  expect(first).toEqual(
    new Map([
      ['a', 5],
      ['b', now],
    ]),
  );
  const afterwards = unwantedVolumes(first, {
    attached,
    desired: view({ desired: [volume('a')] }).desired,
    now: now + 1,
  });
  expect(afterwards).toEqual(new Map([['b', now]]));
});

test('a node is out of service by its taint, with any effect, and a missing node is not ready', () => {
  const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoSchedule' }];
  const conditions = [{ type: 'Ready', status: 'True' }];
  expect(healthOf({ metadata: {}, spec: { taints }, status: { conditions } })).toEqual({
    isReady: true,
    isOutOfService: true,
  });
  expect(healthOf(undefined)).toEqual({ isReady: false, isOutOfService: false });
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
