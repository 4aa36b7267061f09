import { describe, expect, test } from 'vitest';
import { gateConflict, hasNoEffect } from './feature-dependencies.js';

describe('FLAG-32 a gate that depends on another', () => {
  test.each([
    ['is as upstream has it', {}, undefined],
    [
      'is refused without it',
      { GangScheduling: true },
      'GangScheduling is enabled, but depends on features that are disabled: [GenericWorkload]',
    ],
    ['goes with it', { GangScheduling: true, GenericWorkload: true }, undefined],
    ['may be off without it', { ResourceHealthStatus: false, ResourceHealthStatusMessage: false }, undefined],
    [
      'that is on by itself must be switched off with it',
      { ResourceHealthStatus: false },
      'ResourceHealthStatusMessage is enabled, but depends on features that are disabled: [ResourceHealthStatus]',
    ],
    [
      'names all that it lacks',
      {
        NodeDeclaredFeatures: false,
        PodLevelResources: false,
        AllBeta: false,
        RestartAllContainersOnContainerExits: true,
      },
      'RestartAllContainersOnContainerExits is enabled, but depends on features that are disabled: [ContainerRestartRules NodeDeclaredFeatures]',
    ],
    [
      'is named with the others that lack something',
      { APIServerIdentity: false, StorageVersionAPI: true },
      '[StorageVersionAPI is enabled, but depends on features that are disabled: [APIServerIdentity], UnknownVersionInteroperabilityProxy is enabled, but depends on features that are disabled: [APIServerIdentity]]',
    ],
    ['goes with all of its stage', { AllBeta: false }, undefined],
  ])('%s', (_name, set, problem) => {
    expect(gateConflict(set)).toBe(problem);
  });
});

describe('FLAG-32 to switch a gate', () => {
  test.each([
    ['that decides nothing here has no effect', 'MemoryQoS', true, true],
    ['as by default requires nothing', 'MemoryQoS', false, false],
    ['that decides something has one', 'WatchList', false, false],
    ['that stands for many has one', 'AllAlpha', true, false],
    ['that another needs which decides something has one', 'ClusterTrustBundle', true, false],
    ['that another needs which decides nothing has none', 'GracefulNodeShutdown', false, true],
  ])('%s', (_name, gate, value, isIdle) => {
    expect(hasNoEffect(gate, value)).toBe(isIdle);
  });
});
