import { describe, expect, test } from 'vitest';
import { nodeAllocatable } from './node-allocatable.js';
import { defaultSettings, type KubeletSettings } from './settings.js';

const capacity = { cpu: '4', memory: '8Gi', 'ephemeral-storage': '100Gi', pods: '110' };

const allocatable = (settings: Partial<KubeletSettings>, all: Record<string, string> = capacity) =>
  nodeAllocatable(all, { ...defaultSettings, ...settings });

describe('K31.17 K5.10 allocatable resources of a node', () => {
  test.each<[string, Partial<KubeletSettings>, Record<string, string>]>([
    ['is less than its capacity by the hard thresholds', {}, { cpu: '4', memory: '8092Mi', pods: '110' }],
    ['is all of it without any', { evictionHard: {} }, capacity],
    ['is not less by soft thresholds', { evictionHard: {}, evictionSoft: { 'memory.available': '1Gi' } }, capacity],
    [
      'is not less by other signals',
      { evictionHard: { 'nodefs.inodesFree': '5%', 'imagefs.available': '50%', 'pid.available': '10%' } },
      capacity,
    ],
    [
      'is less by what system and kubelet reserve, and by the thresholds',
      {
        systemReserved: { cpu: '500m', memory: '1Gi', pid: '1000' },
        kubeReserved: { cpu: '250m', memory: '512Mi', 'ephemeral-storage': '10Gi' },
        evictionHard: { 'memory.available': '512Mi' },
      },
      { cpu: '3250m', memory: '6Gi', 'ephemeral-storage': '90Gi', pods: '110' },
    ],
    ['is never less than nothing', { kubeReserved: { cpu: '5', memory: '9Gi' } }, { cpu: '0', memory: '0' }],
  ])('%s', (_, settings, expected) => {
    expect(allocatable(settings)).toMatchObject(expected);
  });

  test('rounds percentages in single precision, as Go does', () => {
    expect(allocatable({}, { 'ephemeral-storage': '61255492Ki' })).toEqual({ 'ephemeral-storage': '56453061334' });
  });

  test('has memory only once, though some of it is in huge pages', () => {
    const pages = { memory: '8Gi', 'hugepages-2Mi': '1Gi', 'hugepages-1Gi': '2Gi' };
    expect(allocatable({ evictionHard: {} }, pages)).toEqual({ ...pages, memory: '5Gi' });
  });

  test.each<[Partial<KubeletSettings>, string]>([
    [{ systemReserved: { gpu: '1' } }, 'cannot reserve "gpu" resource'],
    [{ kubeReserved: { cpu: '-1' } }, 'resource quantity for "cpu" cannot be negative: -1'],
  ])('refuses %j', (settings, problem) => {
    expect(() => allocatable(settings)).toThrow(problem);
  });
});
