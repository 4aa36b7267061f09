import {
  duplicateField,
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  requiredField,
  tooManyField,
  validateAnnotations,
  validateLabels,
} from '@coracle/apimachinery';
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
  ResourceClaim,
  ResourceClaimConsumerReference,
  ResourceClaimTemplate,
} from '../../generated/types/resource-v1.js';
import { checkImmutable, checkRequiredValue, checkSupported, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';
import { checkDeviceToleration, checkItems, checkOpaque, checkSelector } from './device-parts.validation.js';

const specPath = FieldPath.of('spec');
const maxAlternatives = 8;
const maxConsumers = 256;

export function validateResourceClaim({ spec }: ResourceClaim): FieldError[] {
  return checkDevices(specPath.child('devices'), spec?.devices ?? {});
}

/** What was asked for stays: a driver may already be at work on it. */
export function validateResourceClaimUpdate(claim: ResourceClaim, previous: ResourceClaim): FieldError[] {
  return checkImmutable(specPath, claim.spec, previous.spec, goValue('resource-v1/ResourceClaimSpec', claim.spec));
}

export function validateResourceClaimTemplate({ spec }: ResourceClaimTemplate): FieldError[] {
  const path = specPath.child('metadata');
  return [
    ...validateLabels(spec.metadata?.labels, path.child('labels')),
    ...validateAnnotations(spec.metadata?.annotations, path.child('annotations')),
    ...checkDevices(specPath.child('spec', 'devices'), spec.spec?.devices ?? {}),
  ];
}

export function validateResourceClaimTemplateUpdate(
  template: ResourceClaimTemplate,
  previous: ResourceClaimTemplate,
): FieldError[] {
  const shown = goValue('resource-v1/ResourceClaimTemplateSpec', template.spec);
  return checkImmutable(specPath, template.spec, previous.spec, shown);
}

function checkDevices(path: FieldPath, claim: DeviceClaim): FieldError[] {
  const { constraints, config } = claim;
  const requests = claim.requests ?? [];
  const names = requestNames(requests);
  return [
    ...checkItems(path.child('requests'), requests, checkRequest),
    ...checkUniqueNames(path.child('requests'), requests),
    ...checkItems(path.child('constraints'), constraints, (at, one) => checkConstraint(at, one, names)),
    ...checkItems(path.child('config'), config, (at, one) => checkConfig(at, one, names)),
  ];
}

/** Requests, and alternatives as `request/alternative`. */
function requestNames(requests: readonly DeviceRequest[]): ReadonlySet<string> {
  return new Set(
    requests.flatMap(({ name, firstAvailable = [] }) => [name, ...firstAvailable.map((one) => `${name}/${one.name}`)]),
  );
}

function checkUniqueNames(path: FieldPath, items: readonly { readonly name: string }[]): FieldError[] {
  const names = items.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [duplicateField(path.index(index).child('name'), name)] : [],
  );
}

function checkRequest(path: FieldPath, { name, exactly, firstAvailable }: DeviceRequest): FieldError[] {
  const errors = checkValue(path.child('name'), name, isDns1123Label);
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  const hasAlternatives = (firstAvailable ?? []).length > 0;
  if (exactly && hasAlternatives) {
    return [...errors, invalidField(path, null, `${rule}, but multiple fields are set`)];
  }
  if (exactly) return [...errors, ...checkExact(path.child('exactly'), exactly)];
  if (!hasAlternatives) return [...errors, requiredField(path, rule)];
  return [...errors, ...checkAlternatives(path.child('firstAvailable'), firstAvailable ?? [])];
}

function checkAlternatives(path: FieldPath, alternatives: readonly DeviceSubRequest[]): FieldError[] {
  const tooMany = alternatives.length > maxAlternatives;
  return [
    ...(tooMany ? [tooManyField(path, alternatives.length, maxAlternatives)] : []),
    ...alternatives.flatMap((one, index) => [
      ...checkValue(path.index(index).child('name'), one.name, isDns1123Label),
      ...checkExact(path.index(index), one),
    ]),
    ...checkUniqueNames(path, alternatives),
  ];
}

function checkExact(path: FieldPath, request: ExactDeviceRequest): FieldError[] {
  return [
    ...checkRequiredValue(path.child('deviceClassName'), request.deviceClassName, isDns1123Subdomain),
    ...checkItems(path.child('selectors'), request.selectors, checkSelector),
    ...checkCount(path, request),
    ...checkItems(path.child('tolerations'), request.tolerations, checkDeviceToleration),
  ];
}

function checkCount(path: FieldPath, { allocationMode = '', count = 0 }: ExactDeviceRequest): FieldError[] {
  if (allocationMode === 'All') {
    if (count === 0) return [];
    return [invalidField(path.child('count'), count, "must not be specified when allocationMode is 'All'")];
  }
  if (allocationMode === 'ExactCount') {
    return count > 0 ? [] : [invalidField(path.child('count'), count, 'must be greater than zero')];
  }
  return checkSupported(path.child('allocationMode'), allocationMode, ['All', 'ExactCount']);
}

function checkReferences(path: FieldPath, requests: readonly string[], names: ReadonlySet<string>): FieldError[] {
  return requests.flatMap((name, index) => {
    const at = path.index(index);
    const errors = names.has(name) ? [] : [invalidField(at, name, 'must be the name of a request in the claim')];
    return requests.indexOf(name) < index ? [...errors, duplicateField(at, name)] : errors;
  });
}

function checkConstraint(path: FieldPath, constraint: DeviceConstraint, names: ReadonlySet<string>): FieldError[] {
  const errors = checkReferences(path.child('requests'), constraint.requests ?? [], names);
  const attribute = constraint.matchAttribute ?? constraint.distinctAttribute;
  if (attribute === undefined) return [...errors, requiredField(path.child('matchAttribute'))];
  const field = path.child(constraint.matchAttribute === undefined ? 'distinctAttribute' : 'matchAttribute');
  if (!attribute.includes('/')) errors.push(invalidField(field, attribute, 'must include a domain'));
  return [...errors, ...checkValue(field, attribute, isQualifiedName)];
}

function checkConfig(path: FieldPath, config: DeviceClaimConfiguration, names: ReadonlySet<string>): FieldError[] {
  return [
    ...checkReferences(path.child('requests'), config.requests ?? [], names),
    ...checkOpaque(path.child('opaque'), config.opaque),
  ];
}

/** Who uses the claim is added and removed one by one; an allocation comes before any use. */
export function validateResourceClaimStatusUpdate(
  { status = {} }: ResourceClaim,
  previous: ResourceClaim,
): FieldError[] {
  const path = FieldPath.of('status');
  const consumers = status.reservedFor ?? [];
  const errors = checkConsumers(path.child('reservedFor'), consumers);
  if (consumers.length > 0 && !status.allocation) {
    errors.push(forbiddenReservation(path.child('reservedFor'), status.reservedFor ?? []));
  }
  const before = previous.status?.allocation;
  if (!before || !status.allocation) return errors;
  const shown = goValue('resource-v1/AllocationResult', status.allocation);
  return [...errors, ...checkImmutable(path.child('allocation'), status.allocation, before, shown)];
}

function forbiddenReservation(path: FieldPath, consumers: readonly ResourceClaimConsumerReference[]): FieldError {
  const shown = consumers.map((one) => goValue('resource-v1/ResourceClaimConsumerReference', one));
  return invalidField(path, shown, 'may not be specified when `allocated` is not set');
}

function checkConsumers(path: FieldPath, consumers: readonly ResourceClaimConsumerReference[]): FieldError[] {
  const errors = consumers.length > maxConsumers ? [tooManyField(path, consumers.length, maxConsumers)] : [];
  const uids = consumers.map(({ uid }) => uid);
  for (const [index, { resource, name, uid }] of consumers.entries()) {
    const at = path.index(index);
    if (!resource) errors.push(requiredField(at.child('resource')));
    if (!name) errors.push(requiredField(at.child('name')));
    if (!uid) errors.push(requiredField(at.child('uid')));
    else if (uids.indexOf(uid) < index) errors.push(duplicateField(at.child('uid'), uid));
  }
  return errors;
}
