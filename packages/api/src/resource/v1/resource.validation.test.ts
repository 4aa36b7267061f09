import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../test-rules.js';

const apiVersion = 'resource.k8s.io/v1';
const metadata = { name: 'x' };

describe('device classes', () => {
  const deviceClass = { apiVersion, kind: 'DeviceClass', metadata, spec: {} };

  test.each<[string, Changes, string[]]>([
    ['a selector says how', { 'spec.selectors': [{}] }, ['spec.selectors[0].cel: Required value']],
    ['and selects by the device', { 'spec.selectors': [{ cel: { expression: 'device.driver == "d.io"' } }] }, []],
    ['a configuration is for a driver', { 'spec.config': [{}] }, ['spec.config[0].opaque: Required value']],
    [
      'an extended resource has a domain',
      { 'spec.extendedResourceName': 'gpu' },
      ['spec.extendedResourceName: Invalid value: "gpu": must be a valid extended resource name'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(deviceClass, changes)).toEqual(want);
  });
});

describe('resource claims', () => {
  const claim = {
    apiVersion,
    kind: 'ResourceClaim',
    metadata,
    spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c' } }] } },
  };
  const request = 'spec.devices.requests.0';
  const field = 'spec.devices.requests[0]';

  test('one device is asked for unless stated', () => {
    expect(withDefaults(claim).spec.devices.requests[0].exactly).toMatchObject({
      allocationMode: 'ExactCount',
      count: 1,
    });
  });

  test.each<[string, Changes, string[]]>([
    [
      'a request is exact or has alternatives',
      { [`${request}.exactly`]: undefined },
      [`${field}: Required value: exactly one of \`exactly\` or \`firstAvailable\` is required`],
    ],
    [
      'all is all',
      { [`${request}.exactly.allocationMode`]: 'All', [`${request}.exactly.count`]: 2 },
      [`${field}.exactly.count: Invalid value: 2: must not be specified when allocationMode is 'All'`],
    ],
    [
      'constraints are on what is requested',
      { 'spec.devices.constraints': [{ requests: ['other'], matchAttribute: 'd.io/a' }] },
      ['spec.devices.constraints[0].requests[0]: Invalid value: "other": must be the name of a request in the claim'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(claim, changes)).toEqual(want);
  });

  test('what is asked for stays', () => {
    const [problem] = problemsOnUpdate(claim, { [`${request}.name`]: 's' });
    expect(problem).toContain('spec: Invalid value: {"Devices":{"Requests":[{"Name":"s"');
    expect(problem).toContain('field is immutable');
  });

  test('a template is as fixed as what is made from it', () => {
    const template = { apiVersion, kind: 'ResourceClaimTemplate', metadata, spec: { spec: claim.spec } };
    expect(problemsOnCreate(template, {})).toEqual([]);
    expect(problemsOnUpdate(template, { 'spec.spec.devices.requests': [] })).toHaveLength(1);
  });
});

describe('resource slices', () => {
  const slice = {
    apiVersion,
    kind: 'ResourceSlice',
    metadata,
    spec: {
      driver: 'd.io',
      nodeName: 'n',
      pool: { name: 'n', generation: 1, resourceSliceCount: 1 },
      devices: [{ name: 'gpu-0' }],
    },
  };

  test.each<[string, Changes, string[]]>([
    ['a slice is of one place', {}, []],
    [
      'and not of none',
      { 'spec.nodeName': undefined },
      [
        'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      ],
    ],
    [
      'devices have names of their own',
      { 'spec.devices.1': { name: 'gpu-0' } },
      ['spec.devices[1].name: Duplicate value: "gpu-0"'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(slice, changes)).toEqual(want);
  });

  test('an attribute has exactly one value', () => {
    expect(problemsOnCreate(slice, { 'spec.devices.0.attributes': { model: {} } })).toEqual([
      'spec.devices[0].attributes[model]: Required value: exactly one value must be specified',
    ]);
  });
});
