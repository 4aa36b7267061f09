import {
  byteLength,
  duplicateField,
  type FieldError,
  type FieldPath,
  invalidField,
  isCIdentifier,
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  requiredField,
  tooLongField,
  tooManyField,
  writeJson,
} from '@coracle/apimachinery';
import { isRecord } from '@coracle/base';
import type { DeviceSelector, DeviceToleration, OpaqueDeviceConfiguration } from '../../generated/types/resource-v1.js';
import { checkCelExpression } from '../../validation/cel-expression.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkItems, checkRequiredSupported, checkSupported, checkValue } from '../../validation/field-checks.js';

/** Maximum length of most lists of these kinds. */
export const maxItems = 32;
const maxExpressionBytes = 10 * 1024;
const maxParametersBytes = 10 * 1024;
const maxPoolNameBytes = 253;
const maxIdentifierBytes = 32;
export const effects = ['NoExecute', 'NoSchedule', 'None'];

type Check<T> = (path: FieldPath, item: T) => readonly FieldError[];
/** Lists that are always written are `null` if they are empty. */
type MaybeList<T> = readonly T[] | null | undefined;

/** A list of at most `limit` items. One that is too long is not looked into. */
export function checkLimited<T>(
  path: FieldPath,
  items: MaybeList<T>,
  { limit, check }: { readonly limit: number; readonly check: Check<T> },
): FieldError[] {
  const count = items?.length ?? 0;
  return count > limit ? [tooManyField(path, count, limit)] : checkItems(path, items ?? undefined, check);
}

/** A limited list whose items are unique by `keyOf`. */
export function checkSet<T>(
  path: FieldPath,
  items: MaybeList<T>,
  rules: { readonly limit: number; readonly check: Check<T>; readonly keyOf: (item: T) => string },
): FieldError[] {
  const errors = checkLimited(path, items, rules);
  if ((items?.length ?? 0) > rules.limit) return errors;
  const keys = (items ?? []).map(rules.keyOf);
  for (const [index, key] of keys.entries()) {
    if (keys.indexOf(key) < index) errors.push(duplicateField(path.index(index), key));
  }
  return errors;
}

export function checkLabel(path: FieldPath, name: string): FieldError[] {
  return checkValue(path, name, isDns1123Label);
}

export function checkSelectors(path: FieldPath, selectors: readonly DeviceSelector[] | undefined): FieldError[] {
  return checkLimited(path, selectors, { limit: maxItems, check: checkSelector });
}

function checkSelector(path: FieldPath, { cel }: DeviceSelector): FieldError[] {
  if (!cel) return [requiredField(path.child('cel'))];
  const field = path.child('cel', 'expression');
  if (byteLength(cel.expression) > maxExpressionBytes) return [tooLongField(field, maxExpressionBytes)];
  return checkCelExpression(field, cel.expression, { variables: ['device'], results: ['bool'] });
}

/** A configuration that only the driver understands. There is no other kind so far. */
export function checkOpaque(
  path: FieldPath,
  { opaque }: { readonly opaque?: OpaqueDeviceConfiguration },
): FieldError[] {
  const field = path.child('opaque');
  if (!opaque) return [requiredField(field)];
  return [
    ...checkDriverName(field.child('driver'), opaque.driver),
    ...checkRawObject(field.child('parameters'), opaque.parameters, maxParametersBytes),
  ];
}

/** Some object in JSON, of at most so many bytes. */
export function checkRawObject(path: FieldPath, value: unknown, limit: number): FieldError[] {
  if (value === undefined || value === null) return [requiredField(path)];
  if (byteLength(writeJson(value)) > limit) return [tooLongField(path, limit)];
  return isRecord(value) ? [] : [invalidField(path, '<value omitted>', 'must be a valid JSON object')];
}

export function checkDeviceToleration(path: FieldPath, toleration: DeviceToleration): FieldError[] {
  const { key, operator, value = '', effect } = toleration;
  const errors = key ? checkValue(path.child('key'), key, isQualifiedName) : [];
  if (operator === 'Exists') {
    if (value !== '') errors.push(invalidField(path.child('value'), value, 'must be empty for operator `Exists`'));
  } else if (operator === 'Equal') errors.push(...checkValue(path.child('value'), value, isLabelValue));
  else errors.push(...checkRequiredSupported(path.child('operator'), operator, ['Equal', 'Exists']));
  return effect ? [...errors, ...checkSupported(path.child('effect'), effect, effects)] : errors;
}

/** Pools of a node have the name of the node, those of several nodes a path. */
export function checkPoolName(path: FieldPath, name: string | undefined): FieldError[] {
  if (!name) return [requiredField(path)];
  const errors = byteLength(name) > maxPoolNameBytes ? [tooLongField(path, maxPoolNameBytes)] : [];
  return [...errors, ...name.split('/').flatMap((part) => checkValue(path, part, isDns1123Subdomain))];
}

/** `model` of the driver itself, or `example.com/model`. */
export function checkDeviceFieldName(path: FieldPath, name: string): FieldError[] {
  const parts = name.split('/');
  const [domain = '', id = ''] = parts;
  if (parts.length === 1) return checkIdentifier(path, domain);
  if (parts.length > 2) return [];
  return [
    ...(domain === '' ? [invalidField(path, '', 'the domain must not be empty')] : checkDriverName(path, domain)),
    ...(id === '' ? [invalidField(path, '', 'the name must not be empty')] : checkIdentifier(path, id)),
  ];
}

function checkIdentifier(path: FieldPath, id: string): FieldError[] {
  const errors = byteLength(id) > maxIdentifierBytes ? [tooLongField(path, maxIdentifierBytes)] : [];
  return [...errors, ...checkValue(path, id, isCIdentifier)];
}

/** The name of a field of any driver's devices. */
export function checkFullFieldName(path: FieldPath, name: string): FieldError[] {
  const errors = checkDeviceFieldName(path, name);
  if (name.includes('/')) return errors;
  const detail = 'a fully qualified name must be a domain and a name separated by a slash';
  return [...errors, invalidField(path, name, detail)];
}

/** Binding conditions and binding failure conditions are required together. */
export function checkBindingConditions(
  path: FieldPath,
  conditions: { readonly bindingConditions?: readonly string[]; readonly bindingFailureConditions?: readonly string[] },
): FieldError[] {
  const { bindingConditions: bindingNames = [], bindingFailureConditions: unwanted = [] } = conditions;
  const [wantedPath, unwantedPath] = [path.child('bindingConditions'), path.child('bindingFailureConditions')];
  const errors = [...checkConditionNames(wantedPath, bindingNames), ...checkConditionNames(unwantedPath, unwanted)];
  const overlap = 'bindingFailureConditions must not overlap with bindingConditions';
  for (const [index, condition] of unwanted.entries()) {
    if (bindingNames.includes(condition)) errors.push(invalidField(unwantedPath.index(index), condition, overlap));
  }
  if (bindingNames.length === 0 && unwanted.length > 0) {
    errors.push(invalidField(wantedPath, null, 'bindingConditions are required to use bindingFailureConditions'));
  }
  if (unwanted.length === 0 && bindingNames.length > 0) {
    errors.push(invalidField(unwantedPath, null, 'bindingFailureConditions are required to use bindingConditions'));
  }
  return errors;
}

const maxConditions = 4;

function checkConditionNames(path: FieldPath, conditions: readonly string[]): FieldError[] {
  const check = (at: FieldPath, condition: string) => checkValue(at, condition, isQualifiedName);
  return checkSet(path, conditions, { limit: maxConditions, check, keyOf: (condition) => condition });
}
