import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  requiredField,
  tooManyField,
} from '@coracle/apimachinery';
import type { Device, DeviceAttribute, ResourcePool, ResourceSlice } from '../../generated/types/resource-v1.js';
import { checkImmutable, checkNonNegative, checkRequiredValue, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkNodeSelector } from '../../validation/node-selector.js';
import { checkDriver } from './device-parts.validation.js';

const specPath = FieldPath.of('spec');
const maxDevices = 128;
const maxAttributes = 32;

export function validateResourceSlice({ spec }: ResourceSlice): FieldError[] {
  const { driver, pool, nodeName, nodeSelector, devices = [] } = spec;
  const devicesPath = specPath.child('devices');
  return [
    ...(nodeName === undefined ? [] : checkRequiredValue(specPath.child('nodeName'), nodeName, isDns1123Subdomain)),
    ...(nodeSelector ? checkNodeSelector(specPath.child('nodeSelector'), nodeSelector) : []),
    ...checkPlace(spec),
    ...checkDriver(specPath.child('driver'), driver),
    ...checkPool(specPath.child('pool'), pool),
    ...(devices.length > maxDevices ? [tooManyField(devicesPath, devices.length, maxDevices)] : []),
    ...devices.flatMap((device, index) => checkDevice(devicesPath.index(index), device)),
    ...checkUniqueDevices(devicesPath, devices),
  ];
}

export function validateResourceSliceUpdate(slice: ResourceSlice, previous: ResourceSlice): FieldError[] {
  const fixed = ['driver', 'nodeName'] as const;
  return [
    ...validateResourceSlice(slice),
    ...fixed.flatMap((field) => checkImmutable(specPath.child(field), slice.spec[field], previous.spec[field])),
    ...checkImmutable(specPath.child('pool', 'name'), slice.spec.pool?.name, previous.spec.pool?.name),
  ];
}

/** The devices of a slice are all in one place, or each says where it is. */
function checkPlace(spec: ResourceSlice['spec']): FieldError[] {
  const given = [
    spec.nodeName,
    spec.nodeSelector,
    spec.allNodes || undefined,
    spec.perDeviceNodeSelection || undefined,
  ];
  const count = given.filter((place) => place !== undefined).length;
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (count === 1) return [];
  if (count === 0) return [requiredField(specPath, rule)];
  return [
    invalidField(specPath, goValue('resource-v1/ResourceSliceSpec', spec), `${rule}, but multiple fields are set`),
  ];
}

function checkPool(path: FieldPath, pool: ResourcePool | undefined): FieldError[] {
  const { name = '', generation = 0, resourceSliceCount = 0 } = pool ?? {};
  const errors =
    name === ''
      ? [requiredField(path.child('name'))]
      : name.split('/').flatMap((part) => checkValue(path.child('name'), part, isDns1123Subdomain));
  if (resourceSliceCount <= 0) {
    errors.push(invalidField(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'));
  }
  return [...errors, ...checkNonNegative(path.child('generation'), generation)];
}

function checkDevice(path: FieldPath, device: Device): FieldError[] {
  const attributes = Object.entries(device.attributes ?? {});
  const capacities = Object.keys(device.capacity ?? {});
  const total = attributes.length + capacities.length;
  const detail = `the total number of attributes and capacities must not exceed ${maxAttributes}`;
  return [
    ...checkValue(path.child('name'), device.name, isDns1123Label),
    ...(total > maxAttributes ? [invalidField(path, total, detail)] : []),
    ...attributes.flatMap(([name, attribute]) => [
      ...checkDeviceFieldName(path.child('attributes').key(name), name),
      ...checkAttribute(path.child('attributes').key(name), attribute),
    ]),
    ...capacities.flatMap((name) => checkDeviceFieldName(path.child('capacity').key(name), name)),
  ];
}

function checkDeviceFieldName(path: FieldPath, name: string): FieldError[] {
  const slash = name.indexOf('/');
  const domain = slash < 0 ? undefined : name.slice(0, slash);
  return [
    ...(domain === undefined ? [] : checkRequiredValue(path, domain, isDns1123Subdomain)),
    ...checkRequiredValue(path, name.slice(slash + 1), isCIdentifier),
  ];
}

function checkAttribute(path: FieldPath, attribute: DeviceAttribute): FieldError[] {
  const count = Object.values(attribute).filter((value) => value !== undefined).length;
  if (count === 0) return [requiredField(path, 'exactly one value must be specified')];
  if (count === 1) return [];
  const shown = goValue('resource-v1/DeviceAttribute', attribute);
  return [invalidField(path, shown, 'exactly one value must be specified')];
}

function checkUniqueDevices(path: FieldPath, devices: readonly Device[]): FieldError[] {
  const names = devices.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [duplicateField(path.index(index).child('name'), name)] : [],
  );
}
