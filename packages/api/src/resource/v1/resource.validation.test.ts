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

  test('one device is requested unless stated', () => {
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
      'names of requests are unique',
      { 'spec.devices.requests.1': { name: 'r', exactly: { deviceClassName: 'c' } } },
      ['spec.devices.requests[1]: Duplicate value: "r"'],
    ],
    ['a claim may request nothing', { 'spec.devices.requests': undefined }, []],
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

  test('the request is immutable', () => {
    const [problem] = problemsOnUpdate(claim, { [`${request}.name`]: 's' });
    expect(problem).toContain('spec: Invalid value: {"Devices":{"Requests":[{"Name":"s"');
    expect(problem).toContain('field is immutable');
  });

  test('a template is as immutable as its claims', () => {
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

  const several = 'spec.devices.0.allowMultipleAllocations';
  const portions = (requestPolicy: object): Changes => ({
    [several]: true,
    'spec.devices.0.capacity': { memory: { value: '10Gi', requestPolicy } },
  });
  const policy = 'spec.devices[0].capacity[memory].requestPolicy';

  test.each<[string, object, string[]]>([
    ['some amounts, of which one is usual', { default: '1Gi', validValues: ['1Gi', '2Gi'] }, []],
    [
      'in their order, each once, and none above all there is',
      { default: '1Gi', validValues: ['2Gi', '1Gi', '1Gi', '11Gi'] },
      [
        `${policy}.validValues[1]: Invalid value: "1Gi": values must be sorted in ascending order`,
        `${policy}.validValues[3]: Invalid value: "11Gi": option is larger than capacity value: 10Gi`,
        `${policy}.validValues[2]: Duplicate value: "1073741824"`,
      ],
    ],
    [
      'and the usual one among them',
      { default: '3Gi', validValues: ['1Gi'] },
      [`${policy}.validValues: Invalid value: "3Gi": default value is not valid according to the requestPolicy`],
    ],
    ['a range', { default: '2Gi', validRange: { min: '1Gi', max: '9Gi', step: '1Gi' } }, []],
    [
      'that holds what is usual',
      { default: '5Gi', validRange: { min: '6Gi', max: '4Gi' } },
      [
        `${policy}.validRange.min: Invalid value: "5Gi": default is less than min: 6Gi`,
        `${policy}.validRange.max: Invalid value: "6Gi": min is larger than max: 4Gi`,
        `${policy}.validRange.max: Invalid value: "5Gi": default is more than max: 4Gi`,
      ],
    ],
    [
      'within what there is',
      { default: '11Gi', validRange: { min: '11Gi', max: '12Gi' } },
      [
        `${policy}.validRange.min: Invalid value: "11Gi": min is larger than capacity value: 10Gi`,
        `${policy}.validRange.max: Invalid value: "12Gi": max is larger than capacity value: 10Gi`,
      ],
    ],
    [
      'in steps that lead to its ends',
      { default: '2Gi', validRange: { min: '1Gi', max: '10Gi', step: '2Gi' } },
      [
        `${policy}.validRange.step: Invalid value: "2Gi": value is not a multiple of a given step (2Gi) from (1Gi)`,
        `${policy}.validRange.step: Invalid value: "10Gi": value is not a multiple of a given step (2Gi) from (1Gi)`,
      ],
    ],
    [
      'and are not too long',
      { default: '1Gi', validRange: { min: '1Gi', step: '10Gi' } },
      [`${policy}.validRange.step: Invalid value: "10Gi": one step 11Gi is larger than capacity value: 10Gi`],
    ],
    [
      'one or the other',
      { validValues: ['1Gi'] },
      [`${policy}.default: Required value: required when validValues is defined`],
    ],
  ])('portions are %s', (_sentence, requestPolicy, want) => {
    expect(problemsOnCreate(slice, portions(requestPolicy))).toEqual(want);
  });

  test('node resources of a device: a resource name, by an existing capacity, once by default', () => {
    const mappings = { cpu: {}, 'example.com/gpu': { capacityKey: 'memory' } };
    const changes = { 'spec.devices.0.nodeAllocatableResourceMappings': mappings };
    const field = 'spec.devices[0].nodeAllocatableResourceMappings[example.com/gpu]';
    expect(problemsOnCreate(slice, changes)).toEqual([
      `${field}: Invalid value: "example.com/gpu": must be a node allocatable resource name`,
      `${field}.capacityKey: Invalid value: "memory": must be a capacity of the device`,
    ]);
    expect(withDefaults(slice, changes).spec.devices[0].nodeAllocatableResourceMappings.cpu).toEqual({
      allocationMultiplier: '1',
    });
  });

  test('lists of an attribute have valid single values', () => {
    const changes = { 'spec.devices.0.attributes': { a: { versions: ['1.0.0', '1'] }, b: { bool: true, ints: [1] } } };
    const found = problemsOnCreate(slice, changes);
    expect(found[0]).toContain('attributes[a].versions[1]: Invalid value: "1": must be a string compatible');
    expect(found[1]).toContain('exactly one value must be specified');
  });

  test('unchanged taints may have effects of a newer version', () => {
    const tainted = {
      ...slice,
      spec: { ...slice.spec, devices: [{ name: 'gpu-0', taints: [{ key: 'a', effect: 'New' }] }] },
    };
    expect(problemsOnUpdate(tainted, { 'spec.pool.generation': 2 })).toEqual([]);
    expect(problemsOnUpdate(tainted, { 'spec.devices.0.taints.0.effect': 'Newer' })).toHaveLength(1);
  });

  test('an attribute has exactly one value', () => {
    expect(problemsOnCreate(slice, { 'spec.devices.0.attributes': { model: {} } })).toEqual([
      'spec.devices[0].attributes[model]: Invalid value: "": exactly one value must be specified',
    ]);
  });
});
