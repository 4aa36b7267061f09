import { type FieldError, FieldPath, forbiddenField, notSupportedField, requiredField } from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { PriorityClass } from '../../generated/types/scheduling-v1.js';
import { checkImmutable } from '../../validation/field-checks.js';

/** Priorities above this are the system's own. */
const highestUserPriority = 1_000_000_000;
const systemPrefix = 'system-';
const systemPriorities: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
};
const policies = ['PreemptLowerPriority', 'Never'];
const policyPath = FieldPath.of('preemptionPolicy');

export function validatePriorityClass(priorityClass: PriorityClass): FieldError[] {
  const { metadata, preemptionPolicy: policy } = priorityClass;
  const errors = metadata.name?.startsWith(systemPrefix)
    ? checkSystemClass(priorityClass, metadata.name)
    : checkUserClass(priorityClass);
  if (policy === undefined) return errors;
  if (policy === '') return [...errors, requiredField(policyPath)];
  return policies.includes(policy) ? errors : [...errors, notSupportedField(policyPath, policy, policies)];
}

function checkUserClass({ value = 0 }: PriorityClass): FieldError[] {
  if (value <= highestUserPriority) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${highestUserPriority}`)];
}

function checkSystemClass({ value = 0, globalDefault = false }: PriorityClass, name: string): FieldError[] {
  const reserved = `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: `;
  const expected = ownValue(systemPriorities, name);
  let problem: string | undefined;
  if (expected === undefined) problem = `${name} is not a known system priority class`;
  else if (value !== expected) problem = `value of ${name} PriorityClass must be ${expected}`;
  else if (globalDefault) problem = `globalDefault of ${name} PriorityClass must be false`;
  return problem === undefined ? [] : [forbiddenField('metadata.name', reserved + problem)];
}

/** Pods carry the value they were created with, so it never changes. */
export function validatePriorityClassUpdate(priorityClass: PriorityClass, previous: PriorityClass): FieldError[] {
  const sameValue = (priorityClass.value ?? 0) === (previous.value ?? 0);
  return [
    ...(sameValue ? [] : [forbiddenField('value', 'may not be changed in an update.')]),
    ...checkImmutable(policyPath, priorityClass.preemptionPolicy, previous.preemptionPolicy),
  ];
}
