import { formatDouble } from '../../go-float.js';
import { textOfKey } from '../values/cel-map.js';
import { CelList, CelMap, CelOptional, CelUint, type CelValue, typeOfValue } from '../values/cel-value.js';
import { isNumeric } from '../values/equality.js';
import { fail } from '../values/evaluation-failure.js';

/** `undefined` where the list has no such item. Any number that is whole is an index. */
export function itemAt(list: CelList, index: CelValue): CelValue | undefined {
  const at = indexOf(index);
  return at >= 0 && at < list.size ? list.at(at) : undefined;
}

function indexOf(index: CelValue): number {
  if (!isNumeric(index)) return fail(`unsupported index type '${typeOfValue(index).name}' in list`);
  const at = Number(index instanceof CelUint ? index.value : index);
  return Number.isInteger(at) ? at : fail(`unsupported index value ${formatDouble(at)} in list`);
}

/** `x.key` and `x[key]`, whatever x is. A null is a value. */
export function elementOf(container: CelValue, key: CelValue): CelValue {
  if (container instanceof CelOptional) return optionalElement(container, key);
  if (container instanceof CelList) return present(itemAt(container, key), 'index out of bounds', key);
  return present(container instanceof CelMap ? container.get(key) : undefined, 'no such key', key);
}

function present(value: CelValue | undefined, problem: string, key: CelValue): CelValue {
  return value === undefined ? fail(`${problem}: ${textOfKey(key)}`) : value;
}

/** `x.?key` and `x[?key]`: absent where there is none, and where x has no elements at all. */
export function optionalElement(container: CelValue, key: CelValue): CelOptional {
  if (container instanceof CelOptional)
    return container.value === undefined ? container : optionalElement(container.value, key);
  if (container instanceof CelList) return optionalOf(isNumeric(key) ? itemAt(container, key) : undefined);
  return optionalOf(container instanceof CelMap ? container.get(key) : undefined);
}

export function optionalOf(value: CelValue | undefined): CelOptional {
  return value === undefined ? CelOptional.none : new CelOptional(value);
}

/** `has(x.field)`. */
export function hasField(value: CelValue, field: string): boolean {
  if (value instanceof CelOptional) return value.value !== undefined && hasField(value.value, field);
  return value instanceof CelMap && value.has(field);
}
