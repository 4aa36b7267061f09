import { formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import type { VolumeAttachment } from '../../generated/types/storage-v1.js';
import { type Changes, problemsOnCreate, problemsOnUpdate, warningsOf, withDefaults } from '../../rules.fixture.js';
import { validateVolumeAttachmentStatusUpdate } from './volume-attachment.validation.js';

const apiVersion = 'storage.k8s.io/v1';
const metadata = { name: 'x.io' };

describe('storage classes', () => {
  const storageClass = { apiVersion, kind: 'StorageClass', metadata, provisioner: 'x.io/p' };

  test('volumes are deleted with their claims and bound immediately', () => {
    expect(withDefaults(storageClass)).toMatchObject({ reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
  });

  test.each<[string, Changes, string[]]>([
    ['a class has a provisioner', { provisioner: '' }, ['provisioner: Required value']],
    ['an empty policy is left to who makes them', { reclaimPolicy: '' }, []],
    [
      'volumes are bound at once or later',
      { volumeBindingMode: '' },
      ['volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"'],
    ],
    [
      'a topology is not said twice',
      { allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a', 'a'] }] }] },
      ['allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "a"'],
    ],
    [
      'nor is it empty',
      { allowedTopologies: [{}] },
      ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(storageClass, changes)).toEqual(want);
  });

  test('the provisioner of a class is immutable', () => {
    expect(problemsOnUpdate(storageClass, { provisioner: 'y.io/p' })).toEqual([
      'provisioner: Invalid value: "y.io/p": field is immutable',
    ]);
  });
});

describe('CSI drivers', () => {
  const driver = { apiVersion, kind: 'CSIDriver', metadata, spec: { tokenRequests: [{ audience: 'a' }] } };

  test('a driver attaches persistent volumes by default', () => {
    expect(withDefaults(driver).spec).toMatchObject({
      attachRequired: true,
      podInfoOnMount: false,
      volumeLifecycleModes: ['Persistent'],
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
    });
  });

  test.each<[string, Changes, string[]]>([
    [
      'tokens live for ten minutes at least',
      { 'spec.tokenRequests.0.expirationSeconds': 60 },
      ['spec.tokenRequests[0].expirationSeconds: Invalid value: 60: may not specify a duration less than 10 minutes'],
    ],
    [
      'one for each audience',
      { 'spec.tokenRequests.1': { audience: 'a', expirationSeconds: 1 } },
      ['spec.tokenRequests[1].audience: Duplicate value: "a"'],
    ],
    [
      'volumes are persistent or ephemeral',
      { 'spec.volumeLifecycleModes': ['Other'] },
      ['spec.volumeLifecycleModes: Unsupported value: "Other": supported values: "Persistent", "Ephemeral"'],
    ],
    [
      'a policy for groups is not empty',
      { 'spec.fsGroupPolicy': '' },
      ['spec.fsGroupPolicy: Unsupported value: "": supported values: "File", "None", "ReadWriteOnceWithFSType"'],
    ],
    [
      'only tokens that are requested go anywhere',
      { 'spec.tokenRequests': [], 'spec.serviceAccountTokenInSecrets': false },
      [
        'spec.serviceAccountTokenInSecrets: Invalid value: false: serviceAccountTokenInSecrets is set but no tokenRequests are specified',
      ],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(driver, changes)).toEqual(want);
  });

  test('token requests are answered with a warning about serviceAccountTokenInSecrets', () => {
    expect(warningsOf(driver)[0]).toContain('spec.serviceAccountTokenInSecrets is unset');
    expect(warningsOf(driver, { 'spec.serviceAccountTokenInSecrets': true })).toEqual([]);
  });
});

describe('CSI nodes', () => {
  const node = {
    apiVersion,
    kind: 'CSINode',
    metadata,
    spec: { drivers: [{ name: 'd.io', nodeID: 'n', topologyKeys: ['zone'] }] },
  };

  test.each<[string, Changes, string[]]>([
    ['a node has an ID for the driver', { 'spec.drivers.0.nodeID': '' }, ['spec.drivers[0].nodeID: Required value']],
    [
      'topology keys differ',
      { 'spec.drivers.0.topologyKeys': ['zone', 'zone'] },
      ['spec.drivers[0]: Duplicate value: "zone"'],
    ],
    [
      'there are no negative volumes',
      { 'spec.drivers.0.allocatable': { count: -1 } },
      ['spec.drivers[0].allocatable.count: Invalid value: -1: must be greater than or equal to 0'],
    ],
    [
      'an ID has at most 256 bytes',
      { 'spec.drivers.0.nodeID': 'n'.repeat(257) },
      [`spec.drivers[0].nodeID: Invalid value: "${'n'.repeat(257)}": must be 256 characters or less`],
    ],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(node, changes)).toEqual(want);
  });

  test.each<[string, Changes, string[]]>([
    [
      'a driver that stays keeps its ID',
      { 'spec.drivers.0.nodeID': 'm' },
      [
        'spec.drivers: Invalid value: {"Name":"d.io","NodeID":"m","TopologyKeys":["zone"],"Allocatable":null}: field is immutable',
      ],
    ],
    ['not its capacity', { 'spec.drivers.0.allocatable': { count: 3 } }, []],
    ['another driver may take its place', { 'spec.drivers': [{ name: 'e.io', nodeID: 'm' }] }, []],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnUpdate(node, changes)).toEqual(want);
  });
});

describe('volume attachments', () => {
  const attachment = {
    apiVersion,
    kind: 'VolumeAttachment',
    metadata,
    spec: { attacher: 'd.io', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
  };

  test.each<[string, Changes, string[]]>([
    [
      'a volume is attached',
      { 'spec.source': {} },
      ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
    ],
    ['by an attacher', { 'spec.attacher': '' }, ['spec.attacher: Required value']],
  ])('%s', (_sentence, changes, want) => {
    expect(problemsOnCreate(attachment, changes)).toEqual(want);
  });

  test.each<[string, VolumeAttachment['status'], string[]]>([
    ['little is said of it', { attached: true, attachmentMetadata: { a: 'b' }, attachError: { message: 'x' } }, []],
    [
      'and of what went wrong',
      { attached: false, attachError: { message: 'x'.repeat(1025) }, detachError: { errorCode: -1 } },
      [
        'status.attachError.message: Too long: may not be more than 1024 bytes',
        'status.detachError.errorCode: Invalid value: -1: must be greater than or equal to 0',
      ],
    ],
    [
      'in 256 KiB',
      { attached: true, attachmentMetadata: { a: 'x'.repeat(256 * 1024) } },
      ['status.attachmentMetadata: Too long: may not be more than 262144 bytes'],
    ],
  ])('%s', (_sentence, status, want) => {
    const written = { ...attachment, status } as VolumeAttachment;
    expect(validateVolumeAttachmentStatusUpdate(written).map(formatFieldError)).toEqual(want);
  });

  test('an attachment stays as it is', () => {
    expect(problemsOnUpdate(attachment, { 'spec.nodeName': 'm' })).toEqual([
      'spec: Invalid value: {"Attacher":"d.io","Source":{"PersistentVolumeName":"pv","InlineVolumeSpec":null},"NodeName":"m"}: field is immutable',
    ]);
  });
});

test('a capacity is never negative, and of one class', () => {
  const capacity = { apiVersion, kind: 'CSIStorageCapacity', metadata, storageClassName: 'sc', capacity: '1Gi' };
  expect(problemsOnCreate(capacity, { capacity: '-1' })).toEqual([
    'capacity: Invalid value: "-1": must be greater than or equal to 0',
  ]);
  expect(problemsOnCreate(capacity, { maximumVolumeSize: '-1' })).toEqual([]);
  expect(problemsOnUpdate(capacity, { storageClassName: 'other' })).toEqual([
    'storageClassName: Invalid value: "other": field is immutable',
  ]);
});

test('a class of attributes has some, and keeps them', () => {
  const attributes = {
    apiVersion,
    kind: 'VolumeAttributesClass',
    metadata,
    driverName: 'd.io',
    parameters: { iops: '1' },
  };
  expect(problemsOnCreate(attributes, { parameters: {} })).toEqual([
    'parameters: Required value: must contain at least one key/value pair',
  ]);
  expect(problemsOnUpdate(attributes, { 'parameters.iops': '2' })).toEqual([
    'parameters: Forbidden: updates to parameters are forbidden.',
  ]);
});
