import { describe, expect, test } from 'vitest';
import { combineGates, parseFeatureGates, withoutEffect } from './feature-gates.js';

describe('FLAG-32 feature gates', () => {
  test('are added up over several flags', () => {
    const gates = parseFeatureGates('WatchList=true,AllAlpha=false', parseFeatureGates('WatchList=false'));
    expect(gates).toEqual({ WatchList: true, AllAlpha: false });
  });

  test('may name their component', () => {
    expect(parseFeatureGates('kube:WatchList=false,EnvFiles=true')).toEqual({ WatchList: false, EnvFiles: true });
  });

  test.each([
    ['wardle:WatchList=true', 'component not registered: wardle'],
    ['NoSuchGate=true', 'unrecognized feature gate: NoSuchGate'],
    ['SidecarContainers=false', 'cannot set feature gate SidecarContainers to false, feature is locked to true'],
    ['WatchList=maybe', 'WatchList=maybe: true or false'],
  ])('%s is refused', (text, message) => {
    expect(() => parseFeatureGates(text)).toThrow(message);
  });

  test('that need another are rejected without it, in any order of flags', () => {
    const gates = parseFeatureGates('WorkloadWithJob=true');
    expect(() => combineGates(gates)).toThrow(
      'WorkloadWithJob is enabled, but depends on features that are disabled: [GenericWorkload]',
    );
    expect(combineGates(parseFeatureGates('GenericWorkload=true', gates)).isOn('GenericWorkload')).toBe(true);
  });

  test('that enable an unsupported feature are listed apart from those without effect', () => {
    const gates = parseFeatureGates(
      'SidecarContainers=true,WatchList=true,MemoryQoS=true,SchedulerAsyncPreemption=false',
    );
    expect(withoutEffect(gates)).toEqual(['MemoryQoS=true', 'SchedulerAsyncPreemption=false']);
  });
});
