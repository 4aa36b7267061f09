import { describe, expect, it } from 'vitest';
import type { ResourceRequirements } from '../../generated/types/core-v1.js';
import { computeQosClass } from './qos-class.js';

const full = { cpu: '1', memory: '1Gi' };

describe('computeQosClass', () => {
  it.each<{ name: string; containers: ResourceRequirements[]; class: string }>([
    { name: 'nothing requested', containers: [{}], class: 'BestEffort' },
    { name: 'other resources do not count', containers: [{ limits: { 'example.com/gpu': '1' } }], class: 'BestEffort' },
    { name: 'limits for both', containers: [{ limits: full }], class: 'Guaranteed' },
    { name: 'requests below the limits', containers: [{ limits: full, requests: { cpu: '1m' } }], class: 'Burstable' },
    { name: 'one of two limits', containers: [{ limits: { cpu: '1' } }], class: 'Burstable' },
    { name: 'one container without', containers: [{ limits: full }, {}], class: 'Burstable' },
  ])('$name: $class', ({ containers, class: expected }) => {
    const spec = { containers: containers.map((resources, index) => ({ name: `c${index}`, resources })) };

    expect(computeQosClass({ metadata: {}, spec })).toBe(expected);
  });
});
