import type { PodSpec } from '@coracle/api';
import { expect, test } from 'vitest';
import { FeatureGates } from '../../features/feature-gates.js';
import { dropDisabledPodFields } from './disabled-pod-fields.js';

const stopSignal = { lifecycle: { stopSignal: 'SIGUSR1' } };
const spec = (): PodSpec => ({
  containers: [{ name: 'a', ...stopSignal }, { name: 'b' }],
  initContainers: [{ name: 'c', ...stopSignal }],
});

test.each([
  ['goes while the feature is off', {}, undefined, [undefined, undefined]],
  ['stays while it is on', { ContainerStopSignals: true }, undefined, ['SIGUSR1', 'SIGUSR1']],
  ['stays where the pod had one before', {}, spec(), ['SIGUSR1', 'SIGUSR1']],
])('a stop signal %s', (_name, gates, previous, expected) => {
  const object = structuredClone(spec());
  dropDisabledPodFields(object, new FeatureGates(gates), previous);
  expect([object.containers[0]?.lifecycle?.stopSignal, object.initContainers?.[0]?.lifecycle?.stopSignal]).toEqual(
    expected,
  );
});
