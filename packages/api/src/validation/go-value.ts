import type { FieldSchema, ObjectSchema, Schema } from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import { schemaOf } from '../schemas.js';

/**
 * How upstream prints an object in a message: with the names of its Go fields, in their order, and with
 * the zero values that JSON leaves out: `{"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}`.
 * `definition` is such as `core-v1/Taint`.
 */
export function goValue(definition: string, value: unknown): unknown {
  return value === undefined || value === null ? null : printed(schemaOf(definition), value, definition);
}

function printed(schema: Schema, value: unknown, definition = ''): unknown {
  if (schema.type === 'list') return Array.isArray(value) ? value.map((item) => printed(schema.items, item)) : null;
  if (schema.type === 'map') return isRecord(value) ? printedMap(schema.values, value) : null;
  if (schema.type === 'object') return printedObject(schema, isRecord(value) ? value : {}, definition);
  return value ?? zeroOf(schema);
}

function printedMap(values: Schema, map: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.keys(map)
      .sort()
      .map((key) => [key, printed(values, map[key])]),
  );
}

function printedObject(
  schema: ObjectSchema,
  value: Readonly<Record<string, unknown>>,
  definition: string,
): Record<string, unknown> {
  // The types of meta/v1 have no internal form: they print as they are in JSON.
  if (schema.name.includes('.meta.v1.') || definition.startsWith('meta-v1/')) return { ...value };
  const first = firstFields[schema.name.slice(schema.name.lastIndexOf('.') + 1)] ?? [];
  const fields = [...schema.fields.values()].sort(byFieldNumber);
  fields.sort((a, b) => rank(first, a.name) - rank(first, b.name));
  return Object.fromEntries(fields.map((field) => [goName(field.name), printedField(field, value[field.name])]));
}

function printedField(field: FieldSchema, value: unknown): unknown {
  const { schema } = field;
  if (value !== undefined && value !== null) return printed(schema, value);
  if (schema.type === 'list' || schema.type === 'map' || field.presence === 'given' || field.presence === 'null')
    return null;
  return printed(schema, undefined);
}

/** Where the order of upstream's fields is not that of their numbers: the fields that come first. */
const firstFields: Readonly<Record<string, readonly string[]>> = {
  CustomResourceDefinitionVersion: ['name', 'served', 'storage', 'deprecated', 'deprecationWarning'],
  PersistentVolumeSpec: [
    'capacity',
    'gcePersistentDisk',
    'awsElasticBlockStore',
    'hostPath',
    'glusterfs',
    'nfs',
    'rbd',
    'quobyte',
    'iscsi',
    'flexVolume',
    'cinder',
    'cephfs',
    'fc',
    'flocker',
    'azureFile',
    'vsphereVolume',
    'azureDisk',
  ],
  ServicePort: ['name', 'protocol', 'appProtocol'],
  PersistentVolumeClaimSpec: ['accessModes', 'selector', 'resources', 'volumeName'],
};

function rank(first: readonly string[], name: string): number {
  const index = first.indexOf(name);
  return index < 0 ? first.length : index;
}

function byFieldNumber(a: FieldSchema, b: FieldSchema): number {
  const [firstA = 0, secondA = 0] = a.proto ?? [];
  const [firstB = 0, secondB = 0] = b.proto ?? [];
  return firstA - firstB || secondA - secondB;
}

function zeroOf(schema: Schema): unknown {
  switch (schema.type) {
    case 'string':
    case 'duration':
      return '';
    case 'boolean':
      return false;
    case 'int32':
    case 'int64':
    case 'double':
    case 'intOrString':
      return 0;
    case 'quantity':
      return '0';
    default:
      return null;
  }
}

/** Initial words that Go writes in capitals, longest first. */
const initialisms = [
  'iscsi',
  'uuid',
  'api',
  'aws',
  'csi',
  'cpu',
  'dns',
  'gce',
  'gmsa',
  'http',
  'nfs',
  'rbd',
  'tls',
  'uid',
  'uri',
  'url',
  'fc',
  'fs',
  'id',
  'ip',
  'pd',
];
const wholeNames: Readonly<Record<string, string>> = {
  cephfs: 'CephFS',
  cidr: 'CIDR',
  iqn: 'IQN',
  ipMode: 'IPMode',
  lun: 'Lun',
  scaleIO: 'ScaleIO',
  storageos: 'StorageOS',
  diskURI: 'DataDiskURI',
  seLinuxMount: 'SELinuxMount',
  wwids: 'WWIDs',
  targetWWNs: 'TargetWWNs',
};

function goName(name: string): string {
  const wholeName = wholeNames[name];
  if (wholeName) return wholeName;
  const first = initialisms.find((word) => name.startsWith(word) && !/^[a-z]/.test(name.slice(word.length)));
  const head = first ? first.toUpperCase() : name.slice(0, 1).toUpperCase();
  return head + name.slice(first ? first.length : 1);
}
