import { declare, type FunctionDeclaration, global, type OverloadDeclaration, signature } from '../overload.js';
import { joinLists } from '../values/cel-list.js';
import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  intType,
  listType,
  mapType,
  stringType,
  timestampType,
  typeParameter,
  uintType,
} from '../values/cel-type.js';
import type { CelList, CelMap } from '../values/cel-value.js';
import { CelDuration, CelTimestamp, CelUint, type CelValue } from '../values/cel-value.js';
import { celCompare, celEquals } from '../values/equality.js';
import { fail } from '../values/evaluation-failure.js';
import { inRange } from '../values/timestamps.js';
import { elementOf } from './element-access.js';

const a = typeParameter('A');
const b = typeParameter('B');

export function int64(value: bigint): bigint {
  return BigInt.asIntN(64, value) === value ? value : fail('integer overflow');
}

export function uint64(value: bigint): CelUint {
  return BigInt.asUintN(64, value) === value ? new CelUint(value) : fail('unsigned integer overflow');
}

function timestamp(nanos: bigint, offset: number): CelTimestamp {
  return inRange(nanos) ? new CelTimestamp(nanos, offset) : fail('timestamp overflow');
}

function duration(nanos: bigint): CelDuration {
  return BigInt.asIntN(64, nanos) === nanos ? new CelDuration(nanos) : fail('duration overflow');
}

/** An operator on two values of one type. */
function same(id: string, type: CelType, call: (x: never, y: never) => CelValue): OverloadDeclaration {
  return global(signature(id, [type, type], type), call as (x: CelValue, y: CelValue) => CelValue);
}

const addition = declare(
  '_+_',
  same('add_bytes', bytesType, (x: Uint8Array, y: Uint8Array) => Uint8Array.from([...x, ...y])),
  same('add_double', doubleType, (x: number, y: number) => x + y),
  same('add_duration_duration', durationType, (x: CelDuration, y: CelDuration) => duration(x.nanos + y.nanos)),
  global(
    signature('add_duration_timestamp', [durationType, timestampType], timestampType),
    (x: CelDuration, y: CelTimestamp) => timestamp(x.nanos + y.nanos, y.offsetMinutes),
  ),
  global(
    signature('add_timestamp_duration', [timestampType, durationType], timestampType),
    (x: CelTimestamp, y: CelDuration) => timestamp(x.nanos + y.nanos, x.offsetMinutes),
  ),
  same('add_int64', intType, (x: bigint, y: bigint) => int64(x + y)),
  same('add_list', listType(a), (x: CelList, y: CelList) => joinLists(x, y)),
  same('add_string', stringType, (x: string, y: string) => x + y),
  same('add_uint64', uintType, (x: CelUint, y: CelUint) => uint64(x.value + y.value)),
);

const subtraction = declare(
  '_-_',
  same('subtract_double', doubleType, (x: number, y: number) => x - y),
  same('subtract_duration_duration', durationType, (x: CelDuration, y: CelDuration) => duration(x.nanos - y.nanos)),
  same('subtract_int64', intType, (x: bigint, y: bigint) => int64(x - y)),
  global(
    signature('subtract_timestamp_duration', [timestampType, durationType], timestampType),
    (x: CelTimestamp, y: CelDuration) => timestamp(x.nanos - y.nanos, x.offsetMinutes),
  ),
  global(
    signature('subtract_timestamp_timestamp', [timestampType, timestampType], durationType),
    (x: CelTimestamp, y: CelTimestamp) => duration(x.nanos - y.nanos),
  ),
  same('subtract_uint64', uintType, (x: CelUint, y: CelUint) => uint64(x.value - y.value)),
);

const multiplication = declare(
  '_*_',
  same('multiply_double', doubleType, (x: number, y: number) => x * y),
  same('multiply_int64', intType, (x: bigint, y: bigint) => int64(x * y)),
  same('multiply_uint64', uintType, (x: CelUint, y: CelUint) => uint64(x.value * y.value)),
);

const division = declare(
  '_/_',
  same('divide_double', doubleType, (x: number, y: number) => x / y),
  same('divide_int64', intType, (x: bigint, y: bigint) => (y === 0n ? fail('division by zero') : int64(x / y))),
  same('divide_uint64', uintType, (x: CelUint, y: CelUint) =>
    y.value === 0n ? fail('division by zero') : uint64(x.value / y.value),
  ),
);

const modulo = declare(
  '_%_',
  same('modulo_int64', intType, (x: bigint, y: bigint) => {
    if (y === 0n) return fail('modulus by zero');
    // Where the quotient overflows, so does the remainder.
    int64(x / y);
    return x % y;
  }),
  same('modulo_uint64', uintType, (x: CelUint, y: CelUint) =>
    y.value === 0n ? fail('modulus by zero') : uint64(x.value % y.value),
  ),
);

const negation = declare(
  '-_',
  global(signature('negate_double', [doubleType], doubleType), (x: number) => -x),
  global(signature('negate_int64', [intType], intType), (x: bigint) => int64(-x)),
);

/** Numbers compare across their types; everything else only with its own. */
const orders: readonly (readonly [string, CelType, CelType])[] = [
  ['bool', boolType, boolType],
  ['int64', intType, intType],
  ['int64_double', intType, doubleType],
  ['int64_uint64', intType, uintType],
  ['uint64', uintType, uintType],
  ['uint64_double', uintType, doubleType],
  ['uint64_int64', uintType, intType],
  ['double', doubleType, doubleType],
  ['double_int64', doubleType, intType],
  ['double_uint64', doubleType, uintType],
  ['string', stringType, stringType],
  ['bytes', bytesType, bytesType],
  ['timestamp', timestampType, timestampType],
  ['duration', durationType, durationType],
];

function ordering(name: string, word: string, test: (order: number) => boolean): FunctionDeclaration {
  const overloads = orders.map(([suffix, x, y]) =>
    global(signature(`${word}_${suffix}`, [x, y], boolType), (left: CelValue, right: CelValue) =>
      test(celCompare(left, right)),
    ),
  );
  return declare(name, ...overloads);
}

const comparisons = [
  ordering('_<_', 'less', (order) => order < 0),
  ordering('_<=_', 'less_equals', (order) => order <= 0),
  ordering('_>_', 'greater', (order) => order > 0),
  ordering('_>=_', 'greater_equals', (order) => order >= 0),
  declare('_==_', global(signature('equals', [a, a], boolType), celEquals)),
  declare(
    '_!=_',
    global(signature('not_equals', [a, a], boolType), (x: CelValue, y: CelValue) => !celEquals(x, y)),
  ),
];

/**
 * The planner implements `&&`, `||`, `?:`, `@not_strictly_false` and optional selection, because they do not evaluate
 * all operands.
 */
const lazy = (): never => fail('no such overload');

export const operators: readonly FunctionDeclaration[] = [
  addition,
  subtraction,
  multiplication,
  division,
  modulo,
  negation,
  ...comparisons,
  declare(
    '!_',
    global(signature('logical_not', [boolType], boolType), (x: boolean) => !x),
  ),
  declare('_&&_', global(signature('logical_and', [boolType, boolType], boolType), lazy)),
  declare('_||_', global(signature('logical_or', [boolType, boolType], boolType), lazy)),
  declare('_?_:_', global(signature('conditional', [boolType, a, a], a), lazy)),
  declare('@not_strictly_false', global(signature('not_strictly_false', [boolType], boolType), lazy)),
  declare(
    '@in',
    global(signature('in_list', [a, listType(a)], boolType), (x: CelValue, list: CelList) => {
      for (const item of list) if (celEquals(x, item)) return true;
      return false;
    }),
    global(signature('in_map', [a, mapType(a, b)], boolType), (x: CelValue, map: CelMap) => map.has(x)),
  ),
  declare(
    '_[_]',
    global(signature('index_list', [listType(a), intType], a), elementOf),
    global(signature('index_map', [mapType(a, b), a], b), elementOf),
  ),
];
