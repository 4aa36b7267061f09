import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { ValueList } from '../values/cel-list.js';
import {
  boolType,
  dynType,
  intType,
  listType,
  mapType,
  optionalType,
  stringType,
  typeParameter,
} from '../values/cel-type.js';
import {
  CelDuration,
  CelList,
  CelMap,
  CelOptional,
  CelTimestamp,
  CelUint,
  type CelValue,
} from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { earliest } from '../values/timestamps.js';
import { itemAt, optionalElement, optionalOf } from './element-access.js';

const t = typeParameter('T');
const k = typeParameter('K');
const v = typeParameter('V');
const optional = optionalType(t);

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  // The zero of Go's times is the first second of year 1.
  if (value instanceof CelTimestamp) return value.nanos === earliest;
  return (value instanceof CelList || value instanceof CelMap) && value.size === 0;
}

function unwrap(list: CelList): CelList {
  const values = Array.from(list, (item) => (item instanceof CelOptional ? item.value : item));
  return new ValueList(values.filter((value) => value !== undefined));
}

export const optionalFunctions: readonly FunctionDeclaration[] = [
  declare('optional.of', global(signature('optional_of', [t], optional), optionalOf)),
  declare(
    'optional.ofNonZeroValue',
    global(signature('optional_ofNonZeroValue', [t], optional), (value: CelValue) =>
      isZero(value) ? CelOptional.none : optionalOf(value),
    ),
  ),
  declare(
    'optional.none',
    global(signature('optional_none', [], optional), () => CelOptional.none),
  ),
  declare(
    'value',
    member(
      signature('optional_value', [optional], t),
      ({ value }: CelOptional) => value ?? (value === null ? null : fail('optional.none() dereference')),
    ),
  ),
  declare(
    'hasValue',
    member(signature('optional_hasValue', [optional], boolType), ({ value }: CelOptional) => value !== undefined),
  ),
  declare(
    'or',
    member(signature('optional_or_optional', [optional, optional], optional), (x: CelOptional, y: CelOptional) =>
      x.value === undefined ? y : x,
    ),
  ),
  declare(
    'orValue',
    member(signature('optional_orValue_value', [optional, t], t), (x: CelOptional, y: CelValue) =>
      x.value === undefined ? y : x.value,
    ),
  ),
  declare('_?._', global(signature('select_optional_field', [dynType, stringType], optionalType(v)), optionalElement)),
  declare(
    '_[?_]',
    global(signature('list_optindex_optional_int', [listType(v), intType], optionalType(v)), optionalElement),
    global(
      signature('optional_list_optindex_optional_int', [optionalType(listType(v)), intType], optionalType(v)),
      optionalElement,
    ),
    global(signature('map_optindex_optional_value', [mapType(k, v), k], optionalType(v)), optionalElement),
    global(
      signature('optional_map_optindex_optional_value', [optionalType(mapType(k, v)), k], optionalType(v)),
      optionalElement,
    ),
  ),
  declare(
    '_[_]',
    global(
      signature('optional_list_index_int', [optionalType(listType(v)), intType], optionalType(v)),
      optionalElement,
    ),
    global(signature('optional_map_index_value', [optionalType(mapType(k, v)), k], optionalType(v)), optionalElement),
  ),
  declare(
    'first',
    member(signature('list_first', [listType(v)], optionalType(v)), (list: CelList) => optionalOf(itemAt(list, 0n))),
  ),
  declare(
    'last',
    member(signature('list_last', [listType(v)], optionalType(v)), (list: CelList) =>
      optionalOf(itemAt(list, BigInt(list.size - 1))),
    ),
  ),
  declare('optional.unwrap', global(signature('optional_unwrap', [listType(optionalType(v))], listType(v)), unwrap)),
  declare('unwrapOpt', member(signature('optional_unwrapOpt', [listType(optionalType(v))], listType(v)), unwrap)),
];
