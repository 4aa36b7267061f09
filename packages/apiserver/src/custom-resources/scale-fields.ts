import type { apiextensionsv1 } from '@coracle/api';
import { type FieldError, formatGoValue, invalidField, type KubeObject } from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';

export type ScalePaths = apiextensionsv1.CustomResourceSubresourceScale;

/** `.spec.replicas` → `spec`, `replicas`. CRDs are checked to have no other paths. */
export function stepsOf(path: string): readonly string[] {
  return path.split('.').filter((step) => step !== '');
}

const largestCount = 2 ** 31 - 1;

/** What keeps the numbers of an object from being shown as a Scale. */
export function validateScale(object: KubeObject, paths: ScalePaths): FieldError[] {
  return [...checkCount(object, paths.specReplicasPath), ...validateStatusScale(object, paths)];
}

/** The same of the part that is in the status. */
export function validateStatusScale(
  object: KubeObject,
  { statusReplicasPath, labelSelectorPath }: ScalePaths,
): FieldError[] {
  return [
    ...checkCount(object, statusReplicasPath),
    ...(labelSelectorPath ? checkSelector(object, labelSelectorPath) : []),
  ];
}

function checkCount(object: KubeObject, path: string): FieldError[] {
  const { value, problem } = accessField(object, path, 'int64');
  if (problem !== undefined) return [invalidField(path, 0, problem)];
  if (typeof value !== 'number' && typeof value !== 'bigint') return [];
  if (value < 0) return [invalidField(path, value, 'should be a non-negative integer')];
  if (value <= largestCount) return [];
  return [invalidField(path, value, `should be less than or equal to ${largestCount}`)];
}

function checkSelector(object: KubeObject, path: string): FieldError[] {
  const { problem } = accessField(object, path, 'string');
  return problem === undefined ? [] : [invalidField(path, '', problem)];
}

interface Access {
  readonly value?: unknown;
  /** Why there can be no value of the type. */
  readonly problem?: string;
}

/** The value at a path, with upstream's message if it has another type. */
function accessField(object: KubeObject, path: string, type: 'int64' | 'string'): Access {
  const steps = stepsOf(path);
  let value: unknown = object;
  for (const [index, step] of steps.entries()) {
    if (!isRecord(value)) {
      const problem = `.${steps.slice(0, index + 1).join('.')} accessor error: ${wrongType(value, 'map[string]interface {}')}`;
      return value === undefined ? {} : { problem };
    }
    value = ownValue(value, step);
  }
  if (value === undefined || typeOf(value) === type) return { value };
  return { problem: `.${steps.join('.')} accessor error: ${wrongType(value, type)}` };
}

function wrongType(value: unknown, expectedType: string): string {
  return `${formatGoValue(value)} is of the type ${typeOf(value)}, expected ${expectedType}`;
}

function typeOf(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'number') return Number.isSafeInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'string' ? 'string' : 'map[string]interface {}';
}
