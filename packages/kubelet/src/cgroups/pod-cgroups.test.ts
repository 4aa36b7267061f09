import { silentLogger, VirtualClock } from '@coracle/base';
import { expect, onTestFinished, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { defaultSettings } from '../settings.js';
import type { CgroupHost } from './cgroup-host.js';
import { PodCgroups } from './pod-cgroups.js';

/** The cgroups of a node whose kernel rejects this many calls first. */
function podCgroups(refusals = 0) {
  const clock = new VirtualClock();
  const events: string[] = [];
  const paths: string[] = [];
  let left = refusals;
  const host: CgroupHost = {
    version: 2,
    apply: async (path) => {
      if (left-- > 0) throw new Error('device or resource busy');
      paths.push(path);
    },
    remove: async () => undefined,
    children: async () => [],
  };
  const subject = new PodCgroups({
    host,
    nodeName: 'n',
    settings: { ...defaultSettings, cgroupRoot: '/' },
    capacity: { cpu: '2', memory: '4Gi' },
    clock,
    logger: silentLogger,
    recorder: {
      event: (about, type, reason, message) => void events.push(`${about.kind} ${type} ${reason}: ${message}`),
    },
    activePods: () => [],
  });
  onTestFinished(() => subject[Symbol.dispose]());
  return { subject, clock, events, paths };
}

const enforced = 'Node Normal NodeAllocatableEnforced: Updated Node Allocatable limit across pods';

test('the limits of all pods are set once before the first pod, with an event', async () => {
  const { subject, events, paths, clock } = podCgroups();
  await subject.start();
  expect([events, paths]).toEqual([[enforced], ['/kubepods', '/kubepods/burstable', '/kubepods/besteffort']]);
  await subject.make(makePod());
  await clock.advance(120_000);
  expect(events).toEqual([enforced]);
  expect(paths.filter((path) => path === '/kubepods')).toHaveLength(1);
});

test('limits that the kernel refuses are set again after a minute', async () => {
  const { subject, events, clock } = podCgroups(1);
  await subject.start();
  const failed = 'Failed to update Node Allocatable Limits ["kubepods"]: device or resource busy';
  expect(events.splice(0)).toEqual([`Node Warning FailedNodeAllocatableEnforcement: ${failed}`]);
  await clock.advance(59_000);
  expect(events).toEqual([]);
  await clock.advance(1_000);
  expect(events).toEqual([enforced]);
  expect(clock.pending).toBe(0);
});

test('limits are not set again after the kubelet has stopped', async () => {
  const { subject, clock } = podCgroups(1);
  await subject.start();
  subject[Symbol.dispose]();
  expect(clock.pending).toBe(0);
});

test('an error names the cgroup of a pod that could not be created', async () => {
  const { subject } = podCgroups(1);
  await expect(subject.make(makePod())).rejects.toThrow(
    'failed to create container for [kubepods besteffort poduid-1] : device or resource busy',
  );
  expect(await subject.make(makePod())).toBe('/kubepods/besteffort/poduid-1');
});
