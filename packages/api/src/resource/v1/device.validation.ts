import {
  byteLength,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  parseQuantity,
  requiredField,
  tooLongField,
  tooManyField,
} from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import type {
  Counter,
  Device,
  DeviceAttribute,
  DeviceCapacity,
  DeviceCounterConsumption,
  DeviceTaint,
} from '../../generated/types/resource-v1.js';
import { checkItems, checkRequiredSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkNodeSelector } from '../../validation/node-selector.js';
import { isNativeResource } from '../../validation/resource-names.js';
import {
  checkBindingConditions,
  checkDeviceFieldName,
  checkLabel,
  checkLimited,
  checkSet,
  effects,
} from './device-parts.validation.js';
import { checkRequestPolicy } from './request-policy.validation.js';

const maxAttributes = 32;
const maxTaints = 16;
const maxConsumptions = 2;
const maxCounters = 32;
const maxValueBytes = 64;

/** Context of the validation of a device. */
export interface DeviceSetting {
  /** The slice leaves it to its devices to say where they are. */
  readonly ownPlace: boolean;
  /** As it was: unchanged taints may be those of another version. */
  readonly previous?: Device | undefined;
}

export function checkDevice(path: FieldPath, device: Device, { ownPlace, previous }: DeviceSetting): FieldError[] {
  const { attributes = {}, capacity = {}, taints, consumesCounters } = device;
  const total = Object.keys(attributes).length + Object.keys(capacity).length;
  const detail = `the total number of attributes and capacities must not exceed ${maxAttributes}`;
  return [
    ...checkLabel(path.child('name'), device.name),
    ...(total > maxAttributes ? [invalidField(path, total, detail)] : []),
    ...checkFields(path.child('attributes'), attributes, checkAttribute),
    ...checkFields(path.child('capacity'), capacity, (at, one) => checkCapacity(at, one, device)),
    ...(deepEqual(taints, previous?.taints)
      ? []
      : checkLimited(path.child('taints'), taints, { limit: maxTaints, check: checkTaint })),
    ...checkSet(path.child('consumesCounters'), consumesCounters, {
      limit: maxConsumptions,
      check: checkConsumption,
      keyOf: ({ counterSet }) => counterSet,
    }),
    ...(ownPlace ? checkOwnPlace(path, device) : checkNoPlace(path, device)),
    ...checkBindingConditions(path, device),
    ...checkNodeResources(path.child('nodeAllocatableResourceMappings'), device),
  ];
}

function checkFields<T>(
  path: FieldPath,
  fields: Readonly<Record<string, T>>,
  check: (path: FieldPath, value: T) => FieldError[],
): FieldError[] {
  return Object.entries(fields).flatMap(([name, value]) => [
    ...checkDeviceFieldName(path.key(name), name),
    ...check(path.key(name), value),
  ]);
}

const semver =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$/;

function checkAttribute(path: FieldPath, attribute: DeviceAttribute): FieldError[] {
  const { string, strings, version, versions } = attribute;
  const errors = [
    ...(string === undefined ? [] : checkText(path.child('string'), string)),
    ...(version === undefined ? [] : checkVersion(path.child('version'), version)),
    ...checkItems(path.child('strings'), strings, checkText),
    ...checkItems(path.child('versions'), versions, checkVersion),
  ];
  const count = Object.values(attribute).filter((value) => value !== undefined).length;
  if (count === 1) return errors;
  const shown = count === 0 ? '' : goValue('resource-v1/DeviceAttribute', attribute);
  return [...errors, invalidField(path, shown, 'exactly one value must be specified')];
}

function checkText(path: FieldPath, text: string): FieldError[] {
  return byteLength(text) > maxValueBytes ? [tooLongField(path, maxValueBytes)] : [];
}

function checkVersion(path: FieldPath, version: string): FieldError[] {
  const detail = 'must be a string compatible with semver.org spec 2.0.0';
  return [...(semver.test(version) ? [] : [invalidField(path, version, detail)]), ...checkText(path, version)];
}

/** Only a device that several may have at a time is given out in portions. */
function checkCapacity(path: FieldPath, { requestPolicy, value }: DeviceCapacity, device: Device): FieldError[] {
  if (!requestPolicy) return [];
  const field = path.child('requestPolicy');
  if (!device.allowMultipleAllocations) return [forbiddenField(field, 'allowMultipleAllocations must be true')];
  return checkRequestPolicy(field, requestPolicy, value);
}

/** How much of a node's own resources go with the device, by its number or by one of its capacities. */
function checkNodeResources(path: FieldPath, { nodeAllocatableResourceMappings, capacity = {} }: Device): FieldError[] {
  return Object.entries(nodeAllocatableResourceMappings ?? {}).flatMap(([name, mapping]) => {
    const { capacityKey, allocationMultiplier } = mapping;
    const at = path.key(name);
    const isNegative = allocationMultiplier !== undefined && parseQuantity(allocationMultiplier).sign < 0;
    return [
      ...(isNativeResource(name) ? [] : [invalidField(at, name, 'must be a node allocatable resource name')]),
      ...(capacityKey === undefined || Object.hasOwn(capacity, capacityKey)
        ? []
        : [invalidField(at.child('capacityKey'), capacityKey, 'must be a capacity of the device')]),
      ...(isNegative
        ? [invalidField(at.child('allocationMultiplier'), allocationMultiplier, 'must be non-negative')]
        : []),
    ];
  });
}

export function checkTaint(path: FieldPath, { key, value, effect }: DeviceTaint): FieldError[] {
  return [
    ...checkValue(path.child('key'), key, isQualifiedName),
    ...(value ? checkValue(path.child('value'), value, isLabelValue) : []),
    ...checkRequiredSupported(path.child('effect'), effect, effects),
  ];
}

function checkConsumption(path: FieldPath, { counterSet, counters }: DeviceCounterConsumption): FieldError[] {
  const field = path.child('counterSet');
  const named = counterSet ? checkLabel(field, counterSet) : [requiredField(field)];
  return [...named, ...checkCounters(path.child('counters'), counters)];
}

export function checkCounters(path: FieldPath, counters: Readonly<Record<string, Counter>> | undefined): FieldError[] {
  const names = Object.keys(counters ?? {});
  if (names.length === 0) return [requiredField(path)];
  if (names.length > maxCounters) return [tooManyField(path, names.length, maxCounters)];
  return names.flatMap((name) => checkLabel(path.key(name), name));
}

const placeFields = ['nodeName', 'nodeSelector', 'allNodes'] as const;

function checkOwnPlace(path: FieldPath, device: Device): FieldError[] {
  const { nodeName, nodeSelector, allNodes } = device;
  const errors: FieldError[] = [];
  if (nodeName === '') errors.push(invalidField(path.child('nodeName'), nodeName, 'must not be empty'));
  else if (nodeName !== undefined) errors.push(...checkValue(path.child('nodeName'), nodeName, isDns1123Subdomain));
  if (nodeSelector) errors.push(...checkNodeSelector(path.child('nodeSelector'), nodeSelector));
  if (allNodes === false) {
    errors.push(invalidField(path.child('allNodes'), false, 'must be either unset or set to true'));
  }
  const setFields = placeFields.filter((field) => device[field]).map((field) => `\`${field}\``);
  const rule =
    'exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  if (setFields.length === 0) return [...errors, requiredField(path, rule)];
  return setFields.length === 1 ? errors : [...errors, invalidField(path, `{${setFields.join(', ')}}`, rule)];
}

function checkNoPlace(path: FieldPath, device: Device): FieldError[] {
  if (placeFields.every((field) => device[field] === undefined)) return [];
  const detail =
    '`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec';
  return [invalidField(path, null, detail)];
}
