import { type FieldError, FieldPath, invalidField, isDns1123Subdomain, requiredField } from '@coracle/apimachinery';
import type { CounterSet, ResourcePool, ResourceSlice, ResourceSliceSpec } from '../../generated/types/resource-v1.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { checkNodeSelector } from '../../validation/node-selector.js';
import { checkCounters, checkDevice } from './device.validation.js';
import { checkLabel, checkPoolName, checkSet } from './device-parts.validation.js';

const specPath = FieldPath.of('spec');
const maxDevices = 128;
/** Taints and counters make devices larger. */
const maxLargeDevices = 64;
const maxCounterSets = 8;

export function validateResourceSlice({ spec }: ResourceSlice): FieldError[] {
  return [...checkWhose(spec), ...checkContent(spec)];
}

export function validateResourceSliceUpdate({ spec }: ResourceSlice, { spec: previous }: ResourceSlice): FieldError[] {
  return [
    ...checkWhose(spec),
    ...checkImmutable(specPath.child('pool', 'name'), spec.pool?.name, previous.pool?.name),
    ...checkImmutable(specPath.child('driver'), spec.driver, previous.driver),
    ...checkImmutable(specPath.child('nodeName'), spec.nodeName, previous.nodeName),
    ...checkContent(spec, previous),
  ];
}

function checkWhose({ driver, pool }: ResourceSliceSpec): FieldError[] {
  return [...checkDriverName(specPath.child('driver'), driver), ...checkPool(specPath.child('pool'), pool)];
}

function checkPool(path: FieldPath, pool: ResourcePool | undefined): FieldError[] {
  const { name, generation = 0, resourceSliceCount = 0 } = pool ?? {};
  const errors = checkPoolName(path.child('name'), name);
  if (resourceSliceCount <= 0) {
    errors.push(invalidField(path.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'));
  }
  if (generation >= 0) return errors;
  return [...errors, invalidField(path.child('generation'), generation, 'must be greater than or equal to zero')];
}

function checkContent(spec: ResourceSliceSpec, previous?: ResourceSliceSpec): FieldError[] {
  const { devices, sharedCounters, perDeviceNodeSelection } = spec;
  const isLarge = (devices ?? []).some(({ taints, consumesCounters }) => taints?.length || consumesCounters?.length);
  return [
    ...checkNodes(spec),
    ...checkPlace(spec),
    ...(sharedCounters && devices
      ? [invalidField(specPath, '', 'only one of `sharedCounters` or `devices` is allowed')]
      : []),
    ...checkSet(specPath.child('devices'), devices, {
      limit: isLarge ? maxLargeDevices : maxDevices,
      check: (path, device) =>
        checkDevice(path, device, {
          ownPlace: perDeviceNodeSelection ?? false,
          previous: previous?.devices?.find(({ name }) => name === device.name),
        }),
      keyOf: ({ name }) => name,
    }),
    ...checkSet(specPath.child('sharedCounters'), sharedCounters, {
      limit: maxCounterSets,
      check: checkCounterSet,
      keyOf: ({ name }) => name,
    }),
  ];
}

function checkCounterSet(path: FieldPath, { name, counters }: CounterSet): FieldError[] {
  const named = name ? checkLabel(path.child('name'), name) : [requiredField(path.child('name'))];
  return [...named, ...checkCounters(path.child('counters'), counters)];
}

function checkNodes({ nodeName, nodeSelector, allNodes, perDeviceNodeSelection }: ResourceSliceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const namePath = specPath.child('nodeName');
  if (nodeName === '') {
    errors.push(invalidField(namePath, nodeName, 'must be either unset or set to a non-empty string'));
  } else if (nodeName !== undefined) errors.push(...checkValue(namePath, nodeName, isDns1123Subdomain));
  if (nodeSelector) {
    const path = specPath.child('nodeSelector');
    errors.push(...checkNodeSelector(path, nodeSelector));
    const terms = nodeSelector.nodeSelectorTerms ?? [];
    if (terms.length !== 1) {
      errors.push(invalidField(path.child('nodeSelectorTerms'), terms, 'must have exactly one node selector term'));
    }
  }
  for (const [field, value] of Object.entries({ allNodes, perDeviceNodeSelection })) {
    if (value === false) errors.push(invalidField(specPath.child(field), false, 'must be either unset or set to true'));
  }
  return errors;
}

/** The devices of a slice are all in one place, or each says where it is. */
function checkPlace(spec: ResourceSliceSpec): FieldError[] {
  const fields = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'] as const;
  const setFields = fields.filter((field) => spec[field]).map((field) => `\`${field}\``);
  const rule = 'exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required';
  if (setFields.length === 0) return [requiredField(specPath, rule)];
  if (setFields.length === 1) return [];
  return [invalidField(specPath, `{${setFields.join(', ')}}`, `${rule}, but multiple fields are set`)];
}
