import {
  duplicateField,
  type FieldError,
  FieldPath,
  forbiddenField,
  invalidField,
  isQualifiedName,
  parseQuantity,
  type Quantity,
  requiredField,
} from '@coracle/apimachinery';
import { ownValue } from '@coracle/base';
import type { LimitRange, LimitRangeItem } from '../../generated/types/core-v1.js';
import { checkValue } from '../../validation/field-checks.js';
import { checkContainerResourceName, checkResourceName, isOvercommitAllowed } from '../../validation/resource-names.js';

const standardTypes: ReadonlySet<string> = new Set(['Pod', 'Container', 'PersistentVolumeClaim']);

export function validateLimitRange(limitRange: LimitRange): FieldError[] {
  const path = FieldPath.of('spec', 'limits');
  const seen = new Set<string>();
  return (limitRange.spec?.limits ?? []).flatMap((item, index) => {
    const errors = checkType(path.index(index).child('type'), item.type);
    if (seen.has(item.type)) errors.push(duplicateField(path.index(index).child('type'), item.type));
    seen.add(item.type);
    return [...errors, ...checkItem(path.index(index), item)];
  });
}

function checkType(path: FieldPath, type: string): FieldError[] {
  const errors = checkValue(path, type, isQualifiedName);
  if (errors.length > 0 || type.includes('/') || standardTypes.has(type)) return errors;
  return [invalidField(path, type, 'must be a standard limit type or fully qualified')];
}

function checkItem(path: FieldPath, item: LimitRangeItem): FieldError[] {
  return [
    ...checkNames(path, item, 'max'),
    ...checkNames(path, item, 'min'),
    ...(item.type === 'Pod' ? forbidDefaults(path, item) : checkDefaultNames(path, item)),
    ...requireStorage(path, item),
    ...checkNames(path, item, 'maxLimitRequestRatio'),
    ...resourcesOf(item).flatMap((name) => checkAmounts(path, item, name)),
  ];
}

const lists = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
type ListName = (typeof lists)[number];

function checkNames(path: FieldPath, item: LimitRangeItem, list: ListName): FieldError[] {
  const check = item.type === 'Pod' || item.type === 'Container' ? checkContainerResourceName : checkResourceName;
  return Object.keys(item[list] ?? {}).flatMap((name) => check(path.child(list).key(name), name));
}

function checkDefaultNames(path: FieldPath, item: LimitRangeItem): FieldError[] {
  return [...checkNames(path, item, 'default'), ...checkNames(path, item, 'defaultRequest')];
}

/** A pod has no limits of its own that could be defaulted: its containers have. */
function forbidDefaults(path: FieldPath, item: LimitRangeItem): FieldError[] {
  return (['default', 'defaultRequest'] as const)
    .filter((list) => Object.keys(item[list] ?? {}).length > 0)
    .map((list) => forbiddenField(path.child(list), "may not be specified when `type` is 'Pod'"));
}

function requireStorage(path: FieldPath, item: LimitRangeItem): FieldError[] {
  if (item.type !== 'PersistentVolumeClaim' || item.min?.['storage'] || item.max?.['storage']) return [];
  const detail = 'either minimum or maximum storage value is required, but neither was provided';
  return [requiredField(path.child('limits'), detail)];
}

function resourcesOf(item: LimitRangeItem): string[] {
  const considered = lists.filter((list) => item.type !== 'Pod' || !list.startsWith('default'));
  return [...new Set(considered.flatMap((list) => Object.keys(item[list] ?? {})))].sort();
}

/** The names of each list in messages. */
const words = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const;
type Amount = keyof typeof words;

interface Order {
  readonly small: Amount;
  readonly large: Amount;
  /** The list that is blamed, and the one whose value is printed. */
  readonly field: Amount;
  readonly shown: Amount;
  readonly largeWord?: string;
}

const orders: readonly Order[] = [
  { small: 'min', large: 'max', field: 'min', shown: 'min' },
  { small: 'min', large: 'defaultRequest', field: 'defaultRequest', shown: 'defaultRequest' },
  { small: 'defaultRequest', large: 'max', field: 'defaultRequest', shown: 'defaultRequest' },
  {
    small: 'defaultRequest',
    large: 'default',
    field: 'defaultRequest',
    shown: 'defaultRequest',
    largeWord: 'default limit',
  },
  { small: 'min', large: 'default', field: 'default', shown: 'min' },
  { small: 'default', large: 'max', field: 'default', shown: 'max' },
];

function checkAmounts(path: FieldPath, item: LimitRangeItem, name: string): FieldError[] {
  const amount = (list: ListName) => quantityOf(item, list, name);
  const errors = orders.flatMap(({ small, large, field, shown, largeWord = words[large] }) => {
    const less = amount(small);
    const more = amount(large);
    if (!less || !more || less.compare(more) <= 0) return [];
    const detail = `${words[small]} value ${less} is greater than ${largeWord} value ${more}`;
    return [invalidField(path.child(field).key(name), amount(shown), detail)];
  });
  return [...errors, ...checkRatio(path, item, name), ...checkOvercommit(path, item, name)];
}

function quantityOf(item: LimitRangeItem, list: ListName, name: string): Quantity | undefined {
  if (item.type === 'Pod' && list.startsWith('default')) return undefined;
  const text = ownValue(item[list] ?? {}, name);
  return text === undefined ? undefined : parseQuantity(text);
}

function checkRatio(path: FieldPath, item: LimitRangeItem, name: string): FieldError[] {
  const ratio = quantityOf(item, 'maxLimitRequestRatio', name);
  if (!ratio) return [];
  const field = path.child('maxLimitRequestRatio').key(name);
  const errors: FieldError[] = [];
  if (ratio.toNumber() < 1) errors.push(invalidField(field, ratio, `ratio ${ratio} is less than 1`));
  const min = quantityOf(item, 'min', name);
  const max = quantityOf(item, 'max', name);
  if (!min || !max) return errors;
  const limit = max.toNumber() / min.toNumber();
  if (ratio.toNumber() > limit) {
    errors.push(invalidField(field, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  }
  return errors;
}

function checkOvercommit(path: FieldPath, item: LimitRangeItem, name: string): FieldError[] {
  const limit = quantityOf(item, 'default', name);
  const request = quantityOf(item, 'defaultRequest', name);
  if (isOvercommitAllowed(name) || !limit || !request || limit.equals(request)) return [];
  const detail = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [invalidField(path.child('defaultRequest').key(name), request, detail)];
}
