import {
  byteLength,
  type FieldError,
  type FieldPath,
  invalidField,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  requiredField,
  tooLongField,
  tooManyField,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { DeviceSelector, DeviceToleration, OpaqueDeviceConfiguration } from '../../generated/types/resource-v1.js';
import { checkCelExpression } from '../../validation/cel-expression.js';
import { checkRequiredSupported, checkValue } from '../../validation/field-checks.js';

const maxItems = 32;
const maxDriverBytes = 63;
const maxExpressionBytes = 10 * 1024;
const maxParametersBytes = 10 * 1024;

/** A list of at most 32, each checked by `check`. */
export function checkItems<T>(
  path: FieldPath,
  items: readonly T[] | undefined,
  check: (path: FieldPath, item: T) => FieldError[],
): FieldError[] {
  const given = items ?? [];
  const errors = given.length > maxItems ? [tooManyField(path, given.length, maxItems)] : [];
  return [...errors, ...given.slice(0, maxItems).flatMap((item, index) => check(path.index(index), item))];
}

export function checkSelector(path: FieldPath, { cel }: DeviceSelector): FieldError[] {
  if (!cel) return [requiredField(path.child('cel'))];
  const field = path.child('cel', 'expression');
  if (byteLength(cel.expression) > maxExpressionBytes) return [tooLongField(field, maxExpressionBytes)];
  return checkCelExpression(field, cel.expression, { variables: ['device'], results: ['bool'] });
}

export function checkOpaque(path: FieldPath, opaque: OpaqueDeviceConfiguration | undefined): FieldError[] {
  if (!opaque) return [requiredField(path)];
  return [...checkDriver(path.child('driver'), opaque.driver), ...checkParameters(path, opaque.parameters)];
}

function checkParameters(path: FieldPath, parameters: unknown): FieldError[] {
  const field = path.child('parameters');
  if (parameters === undefined || parameters === null) return [requiredField(field)];
  if (!isRecord(parameters)) return [invalidField(field, '<value omitted>', 'parameters must be a valid JSON object')];
  if (byteLength(JSON.stringify(parameters)) <= maxParametersBytes) return [];
  return [tooLongField(field, maxParametersBytes)];
}

export function checkDriver(path: FieldPath, driver: string | undefined): FieldError[] {
  if (!driver) return [requiredField(path)];
  const errors = byteLength(driver) > maxDriverBytes ? [tooLongField(path, maxDriverBytes)] : [];
  return [...errors, ...checkValue(path, driver, isDns1123Subdomain)];
}

export function checkDeviceToleration(path: FieldPath, toleration: DeviceToleration): FieldError[] {
  const { key = '', operator, value = '', effect = '' } = toleration;
  const errors = key === '' ? [] : checkValue(path.child('key'), key, isQualifiedName);
  errors.push(...checkRequiredSupported(path.child('operator'), operator, ['Equal', 'Exists']));
  if (operator === 'Exists' && value !== '') {
    errors.push(invalidField(path.child('value'), value, 'must be empty for operator `Exists`'));
  }
  if (operator === 'Equal') errors.push(...checkValue(path.child('value'), value, isLabelValue));
  if (key === '' && operator !== 'Exists') errors.push(requiredField(path.child('key')));
  if (effect === '') return errors;
  const effects = ['NoExecute', 'NoSchedule', 'None'];
  return [...errors, ...checkRequiredSupported(path.child('effect'), effect, effects)];
}
