import {
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  requiredField,
} from '@coracle/apimachinery';
import type {
  DeviceClaim,
  DeviceClaimConfiguration,
  DeviceConstraint,
  DeviceRequest,
  DeviceSubRequest,
  ExactDeviceRequest,
} from '../../generated/types/resource-v1.js';
import { checkItems, checkRequiredValue, checkSupported } from '../../validation/field-checks.js';
import {
  checkDeviceToleration,
  checkFullFieldName,
  checkLabel,
  checkLimited,
  checkOpaque,
  checkSelectors,
  checkSet,
  maxItems,
} from './device-parts.validation.js';

const maxAlternatives = 8;

export function checkDeviceClaim(path: FieldPath, claim: DeviceClaim): FieldError[] {
  const { requests, constraints, config } = claim;
  const names = requestNames(claim);
  return [
    ...checkSet(path.child('requests'), requests, { limit: maxItems, check: checkRequest, keyOf: nameOf }),
    ...checkLimited(path.child('constraints'), constraints, {
      limit: maxItems,
      check: (at, one) => checkConstraint(at, one, names),
    }),
    ...checkLimited(path.child('config'), config, {
      limit: maxItems,
      check: (at, one) => checkConfig(at, one, names),
    }),
  ];
}

function nameOf({ name }: { readonly name: string }): string {
  return name;
}

/** Requests, and alternatives as `request/alternative`. */
export function requestNames({ requests }: DeviceClaim): ReadonlySet<string> {
  return new Set(
    (requests ?? []).flatMap(({ name, firstAvailable = [] }) => [
      name,
      ...firstAvailable.map((one) => `${name}/${one.name}`),
    ]),
  );
}

function checkRequest(path: FieldPath, { name, exactly, firstAvailable }: DeviceRequest): FieldError[] {
  const errors = checkLabel(path.child('name'), name);
  const rule = 'exactly one of `exactly` or `firstAvailable` is required';
  const hasAlternatives = (firstAvailable ?? []).length > 0;
  if (exactly && hasAlternatives) {
    return [...errors, invalidField(path, null, `${rule}, but multiple fields are set`)];
  }
  if (exactly) return [...errors, ...checkExact(path.child('exactly'), exactly)];
  if (!hasAlternatives) return [...errors, requiredField(path, rule)];
  const rules = { limit: maxAlternatives, check: checkAlternative, keyOf: nameOf };
  return [...errors, ...checkSet(path.child('firstAvailable'), firstAvailable, rules)];
}

function checkAlternative(path: FieldPath, request: DeviceSubRequest): FieldError[] {
  return [...checkLabel(path.child('name'), request.name), ...checkExact(path, request)];
}

function checkExact(path: FieldPath, request: ExactDeviceRequest): FieldError[] {
  return [
    ...checkRequiredValue(path.child('deviceClassName'), request.deviceClassName, isDns1123Subdomain),
    ...checkSelectors(path.child('selectors'), request.selectors),
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

export function checkReferences(
  path: FieldPath,
  requests: readonly string[] | undefined,
  names: ReadonlySet<string>,
): FieldError[] {
  const check = (at: FieldPath, name: string) => checkReference(at, name, names);
  return checkSet(path, requests, { limit: maxItems, check, keyOf: (name) => name });
}

/** A request of the claim, or one of its alternatives: `request/alternative`. */
export function checkReference(path: FieldPath, name: string, names: ReadonlySet<string>): FieldError[] {
  const detail =
    "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";
  const unknown = [invalidField(path, name, detail)];
  const segments = name.split('/');
  if (segments.length > 2) return unknown;
  const errors = segments.flatMap((segment) => checkLabel(path, segment));
  return names.has(name) ? errors : [...errors, ...unknown];
}

function checkConstraint(path: FieldPath, constraint: DeviceConstraint, names: ReadonlySet<string>): FieldError[] {
  const { requests, matchAttribute, distinctAttribute } = constraint;
  const errors = checkReferences(path.child('requests'), requests, names);
  if (matchAttribute !== undefined) {
    return [...errors, ...checkFullFieldName(path.child('matchAttribute'), matchAttribute)];
  }
  if (distinctAttribute !== undefined) {
    return [...errors, ...checkFullFieldName(path.child('distinctAttribute'), distinctAttribute)];
  }
  const detail = `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`;
  return [...errors, requiredField(path, detail)];
}

function checkConfig(path: FieldPath, config: DeviceClaimConfiguration, names: ReadonlySet<string>): FieldError[] {
  return [...checkReferences(path.child('requests'), config.requests, names), ...checkOpaque(path, config)];
}
