import {
  boolType,
  bytesType,
  type CelType,
  doubleType,
  durationType,
  dynType,
  intType,
  listType,
  mapType,
  nullType,
  optionalType,
  stringType,
  timestampType,
  typeType,
  uintType,
} from './cel-type.js';

/** Text, whole numbers (`bigint`), fractions (`number`), and the rest as classes. */
export type CelValue = null | boolean | bigint | number | string | Uint8Array | CelObject;

/** A value that is not a JavaScript primitive. */
export type CelObject =
  | CelUint
  | CelTimestamp
  | CelDuration
  | CelOptional
  | CelTypeValue
  | CelOpaque
  | CelList
  | CelMap;

export class CelUint {
  readonly tag = 'uint';
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** A point in time that keeps the offset it was written with. */
export class CelTimestamp {
  readonly tag = 'timestamp';
  /** Since 1970 in UTC. */
  readonly nanos: bigint;
  readonly offsetMinutes: number;

  constructor(nanos: bigint, offsetMinutes = 0) {
    this.nanos = nanos;
    this.offsetMinutes = offsetMinutes;
  }
}

export class CelDuration {
  readonly tag = 'duration';
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** A value that may be absent: the result of `self.?field`. */
export class CelOptional {
  readonly tag = 'optional';
  readonly value: CelValue | undefined;

  static readonly none = new CelOptional(undefined);

  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

/** A type as a value: the result of `type(x)`. */
export class CelTypeValue {
  readonly tag = 'type';
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value of a library's type, such as an IP address. */
export abstract class CelOpaque {
  readonly tag = 'opaque';
  abstract readonly type: CelType;
  abstract equals(other: CelOpaque): boolean;
  /** Size for the computation of costs; 1 for most types. */
  get size(): number {
    return 1;
  }
}

/** A list. Lists of JSON are converted item by item when they are read. */
export abstract class CelList implements Iterable<CelValue> {
  readonly tag = 'list';
  abstract readonly size: number;
  abstract at(index: number): CelValue;
  /** Sets and keyed lists are equal whatever their order, and join without doubles. */
  readonly keyOf: ((item: CelValue) => string) | undefined;

  constructor(keyOf?: (item: CelValue) => string) {
    this.keyOf = keyOf;
  }

  *[Symbol.iterator](): Iterator<CelValue> {
    for (let i = 0; i < this.size; i++) yield this.at(i);
  }
}

/** A map, or an object with fields. */
export abstract class CelMap {
  readonly tag = 'map';
  abstract readonly size: number;
  abstract get(key: CelValue): CelValue | undefined;
  abstract keys(): Iterable<CelValue>;

  has(key: CelValue): boolean {
    return this.get(key) !== undefined;
  }

  /** Whether it differs from another map of the same size and entries in what no key stands for. */
  differsBeyondKeys(_other: CelMap): boolean {
    return false;
  }
}

const dynList = listType(dynType);
const dynMap = mapType(dynType, dynType);
const dynOptional = optionalType(dynType);

/** The type of a value at run time: what is inside lists and maps is not looked at. */
export function typeOfValue(value: CelValue): CelType {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'bigint':
      return intType;
    case 'boolean':
      return boolType;
    case 'number':
      return doubleType;
    default:
      return typeOfObject(value);
  }
}

function typeOfObject(value: null | Uint8Array | CelObject): CelType {
  if (value === null) return nullType;
  if (value instanceof Uint8Array) return bytesType;
  switch (value.tag) {
    case 'uint':
      return uintType;
    case 'timestamp':
      return timestampType;
    case 'duration':
      return durationType;
    case 'optional':
      return dynOptional;
    case 'type':
      return typeType;
    case 'list':
      return dynList;
    case 'map':
      return dynMap;
    case 'opaque':
      return value.type;
  }
}
