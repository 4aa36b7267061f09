import {
  type FieldError,
  type FieldPath,
  invalidField,
  isQualifiedName,
  notSupportedField,
  parseQuantity,
  requiredField,
} from '@coracle/apimachinery';
import type { ObjectFieldSelector, ResourceFieldSelector } from '../../generated/types/core-v1.js';
import { checkSupported, checkValue } from '../../validation/field-checks.js';

/** `metadata.labels['app']` → path and subscript. */
const subscripted = /^(.*)\['(.*)'\]$/s;

export function validateObjectFieldSelector(
  path: FieldPath,
  selector: ObjectFieldSelector | undefined,
  supported: readonly string[],
): FieldError[] {
  const { apiVersion, fieldPath } = selector ?? {};
  if (!apiVersion) return [requiredField(path.child('apiVersion'))];
  if (!fieldPath) return [requiredField(path.child('fieldPath'))];
  const problem = conversionProblem(apiVersion, fieldPath);
  if (problem) return [invalidField(path.child('fieldPath'), fieldPath, `error converting fieldPath: ${problem}`)];
  const [, map, subscript] = subscripted.exec(fieldPath) ?? [];
  if (map === undefined || subscript === undefined) {
    return checkSupported(path.child('fieldPath'), fieldPath === 'spec.host' ? 'spec.nodeName' : fieldPath, supported);
  }
  return checkValue(path, map === 'metadata.annotations' ? subscript.toLowerCase() : subscript, isQualifiedName);
}

/** Fields of a pod that the downward API supports anywhere. */
const knownFields: ReadonlySet<string> = new Set([
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.serviceAccountName',
  'spec.schedulerName',
  'status.phase',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
  'spec.host',
]);

function conversionProblem(apiVersion: string, fieldPath: string): string | undefined {
  if (apiVersion !== 'v1') return `unsupported pod version: ${apiVersion}`;
  const [, map] = subscripted.exec(fieldPath) ?? [];
  if (map !== undefined) {
    const hasSubscripts = map === 'metadata.annotations' || map === 'metadata.labels';
    return hasSubscripts ? undefined : `field label does not support subscript: ${fieldPath}`;
  }
  return knownFields.has(fieldPath) ? undefined : `field label not supported: ${fieldPath}`;
}

const resourceFields = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

/** A volume must say which container's resources it means; a container's own environment means that container. */
export function validateResourceFieldSelector(
  path: FieldPath,
  selector: ResourceFieldSelector | undefined,
  place: 'container' | 'volume',
): FieldError[] {
  const { containerName, resource = '', divisor } = selector ?? {};
  const errors: FieldError[] = [];
  if (place === 'volume' && !containerName) errors.push(requiredField(path.child('containerName')));
  else if (resource === '') errors.push(requiredField(path.child('resource')));
  else if (!resourceFields.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource)) {
    errors.push(notSupportedField(path.child('resource'), resource, resourceFields));
  }
  return [...errors, ...validateDivisor(path.child('divisor'), resource, divisor)];
}

const byteDivisors = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

const divisorRules: readonly { resource: RegExp; divisors: readonly string[]; problem: string }[] = [
  {
    resource: /\.cpu$/,
    divisors: ['1m', '1'],
    problem: "only divisor's values 1m and 1 are supported with the cpu resource",
  },
  { resource: /\.memory$/, divisors: byteDivisors, problem: byteDivisorProblem('memory') },
  { resource: /\.ephemeral-storage$/, divisors: byteDivisors, problem: byteDivisorProblem('local ephemeral storage') },
  { resource: /\.hugepages-/, divisors: byteDivisors, problem: byteDivisorProblem('hugepages') },
];

function byteDivisorProblem(resource: string): string {
  return `only divisor's values ${byteDivisors.join(', ')} are supported with the ${resource} resource`;
}

function validateDivisor(path: FieldPath, resource: string, divisor: string | undefined): FieldError[] {
  if (!divisor || parseQuantity(divisor).isZero) return [];
  const rule = divisorRules.find((one) => one.resource.test(resource));
  return rule && !rule.divisors.includes(divisor) ? [invalidField(path, resource, rule.problem)] : [];
}
