import {
  type FieldError,
  FieldPath,
  invalidField,
  isDns1035Label,
  isDns1123Subdomain,
  isPathSegmentName,
  requiredField,
} from '@coracle/apimachinery';
import type { APIService, APIServiceSpec, ServiceReference } from '../../generated/types/apiregistration-v1.js';
import { checkValue, decodedLength, isPortNumber, portRange } from '../../validation/field-checks.js';

const specPath = FieldPath.of('spec');
const maxGroupPriority = 20_000;
const maxVersionPriority = 1000;

export function validateApiService(apiService: APIService): FieldError[] {
  const spec = apiService.spec ?? { groupPriorityMinimum: 0, versionPriority: 0 };
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  return [
    ...checkName(apiService, `${version}.${group}`),
    ...checkGroup(group, version),
    ...checkValue(specPath.child('version'), version, isDns1035Label),
    ...checkPriority(specPath.child('groupPriorityMinimum'), groupPriorityMinimum, maxGroupPriority),
    ...checkPriority(specPath.child('versionPriority'), versionPriority, maxVersionPriority),
    ...(spec.service ? checkService(spec, spec.service) : checkLocal(spec)),
  ];
}

/** The name says what is served, so that there is one object for each version of a group. */
function checkName({ metadata }: APIService, expected: string): FieldError[] {
  const detail = `must be \`spec.version+"."+spec.group\`: ${JSON.stringify(expected)}`;
  return (['generateName', 'name'] as const).flatMap((field) => {
    const { [field]: name = '' } = metadata;
    if (name === '' || name === expected || isPathSegmentName(name).length > 0) return [];
    return [invalidField(`metadata.${field}`, name, detail)];
  });
}

function checkGroup(group: string, version: string): FieldError[] {
  const path = specPath.child('group');
  if (group !== '') return checkValue(path, group, isDns1123Subdomain);
  const detail = 'only v1 may have an empty group and it better be legacy kube';
  return version === 'v1' ? [] : [requiredField(path, detail)];
}

function checkPriority(path: FieldPath, value: number, maximum: number): FieldError[] {
  if (value > 0 && value <= maximum) return [];
  return [invalidField(path, value, `must be positive and less than ${maximum}`)];
}

/** Served by this server itself: there is no connection to secure. */
function checkLocal({ caBundle = '', insecureSkipTLSVerify }: APIServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (caBundle !== '') {
    const shown = `${decodedLength(caBundle)} bytes`;
    errors.push(invalidField(specPath.child('caBundle'), shown, 'local APIServices may not have a caBundle'));
  }
  if (insecureSkipTLSVerify) {
    const detail = 'local APIServices may not have insecureSkipTLSVerify';
    errors.push(invalidField(specPath.child('insecureSkipTLSVerify'), true, detail));
  }
  return errors;
}

function checkService(spec: APIServiceSpec, { namespace, name, port }: ServiceReference): FieldError[] {
  const path = specPath.child('service');
  const errors: FieldError[] = [];
  if (!namespace) errors.push(requiredField(path.child('namespace')));
  if (!name) errors.push(requiredField(path.child('name')));
  if (port !== undefined && !isPortNumber(port)) {
    errors.push(invalidField(path.child('port'), port, `port is not valid: ${portRange}`));
  }
  if (spec.insecureSkipTLSVerify && spec.caBundle) {
    const field = specPath.child('insecureSkipTLSVerify');
    errors.push(invalidField(field, true, 'may not be true if caBundle is present'));
  }
  return errors;
}
