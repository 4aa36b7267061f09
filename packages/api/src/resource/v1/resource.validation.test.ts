import { describe, expect, test } from 'vitest';
import { type Changes, problemsOnCreate, problemsOnUpdate, withDefaults } from '../../rules.fixture.js';

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
      [
        `spec.devices.constraints[0].requests[0]: Invalid value: "other": must be the name of a request in the claim or the name of a request and a subrequest separated by '/'`,
      ],
    ],
    [
      'a constraint is on an attribute',
      { 'spec.devices.constraints': [{}] },
      [
        'spec.devices.constraints[0]: Required value: exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set',
      ],
    ],
    [
      'that has a domain',
      { 'spec.devices.constraints': [{ matchAttribute: 'model' }] },
      [
        'spec.devices.constraints[0].matchAttribute: Invalid value: "model": a fully qualified name must be a domain and a name separated by a slash',
      ],
    ],
    [
      'requests are told apart by their names',
      { 'spec.devices.requests.1': { name: 'r', exactly: { deviceClassName: 'c' } } },
      ['spec.devices.requests[1]: Duplicate value: "r"'],
    ],
    ['a claim may ask for nothing', { 'spec.devices.requests': undefined }, []],
    ['a toleration may be of every key', { [`${request}.exactly.tolerations`]: [{}] }, []],
    [
      'and of effects that there are',
      { [`${request}.exactly.tolerations`]: [{ key: 'a', effect: 'PreferNoSchedule' }] },
      [
        `${field}.exactly.tolerations[0].effect: Unsupported value: "PreferNoSchedule": supported values: "NoExecute", "NoSchedule", "None"`,
      ],
    ],
    [
      'a list that is too long is not looked into',
      { [`${request}.exactly.selectors`]: Array.from({ length: 33 }, () => ({})) },
      [`${field}.exactly.selectors: Too many: 33: must have at most 32 items`],
    ],
    [
      'a configuration is an object',
      { 'spec.devices.config': [{ opaque: { driver: 'd.io', parameters: [1] } }] },
      ['spec.devices.config[0].opaque.parameters: Invalid value: "<value omitted>": must be a valid JSON object'],
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
      ['spec.devices[1]: Duplicate value: "gpu-0"'],
    ],
    [
      'nor of one that is not said',
      { 'spec.nodeName': '', 'spec.allNodes': false },
      [
        'spec.nodeName: Invalid value: "": must be either unset or set to a non-empty string',
        'spec.allNodes: Invalid value: false: must be either unset or set to true',
        'spec: Required value: exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required',
      ],
    ],
    [
      'a slice in two places is in none',
      { 'spec.allNodes': true },
      [
        'spec: Invalid value: "{`nodeName`, `allNodes`}": exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required, but multiple fields are set',
      ],
    ],
    [
      'devices say where they are only where the slice does not',
      { 'spec.devices.0.allNodes': true },
      [
        'spec.devices[0]: Invalid value: null: `nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec',
      ],
    ],
    [
      'versions are semantic',
      { 'spec.devices.0.attributes': { 'd.io/driver': { version: '1' } } },
      [
        'spec.devices[0].attributes[d.io/driver].version: Invalid value: "1": must be a string compatible with semver.org spec 2.0.0',
      ],
    ],
    [
      'portions are of what several may have',
      { 'spec.devices.0.capacity': { memory: { value: '1Gi', requestPolicy: { default: '1' } } } },
      ['spec.devices[0].capacity[memory].requestPolicy: Forbidden: allowMultipleAllocations must be true'],
    ],
    [
      'a taint has an effect',
      { 'spec.devices.0.taints': [{ key: 'a' }] },
      ['spec.devices[0].taints[0].effect: Required value'],
    ],
    [
      'what binds has its failures',
      { 'spec.devices.0.bindingConditions': ['ready'] },
      [
        'spec.devices[0].bindingFailureConditions: Invalid value: null: bindingFailureConditions are required to use bindingConditions',
      ],
    ],
    [
      'counters are of a slice of their own',
      { 'spec.sharedCounters': [{ name: 's', counters: { memory: { value: '1Gi' } } }] },
      ['spec: Invalid value: "": only one of `sharedCounters` or `devices` is allowed'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(slice, changes)).toEqual(want);
  });

  test('an attribute has exactly one value', () => {
    expect(problemsOnCreate(slice, { 'spec.devices.0.attributes': { model: {} } })).toEqual([
      'spec.devices[0].attributes[model]: Invalid value: "": exactly one value must be specified',
    ]);
  });
});
