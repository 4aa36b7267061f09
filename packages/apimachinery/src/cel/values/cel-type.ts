export type CelKind =
  | 'dyn'
  | 'error'
  | 'null'
  | 'bool'
  | 'int'
  | 'uint'
  | 'double'
  | 'string'
  | 'bytes'
  | 'timestamp'
  | 'duration'
  | 'list'
  | 'map'
  | 'object'
  | 'opaque'
  | 'wrapper'
  | 'type'
  | 'parameter';

/** A type of CEL. Two types with the same text are the same type. */
export class CelType {
  readonly kind: CelKind;
  /** As `type()` names it at run time: `list`, `google.protobuf.Timestamp`, `net.IP`. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** Of an object: the type of a field, by its name in expressions. */
  readonly fieldType: ((field: string) => CelType | undefined) | undefined;
  readonly text: string;

  constructor(kind: CelKind, name: string, parameters: readonly CelType[] = [], fieldType?: CelType['fieldType']) {
    this.kind = kind;
    this.name = name;
    this.parameters = parameters;
    this.fieldType = fieldType;
    this.text = textOf(this);
  }

  /** As error messages write it: `list(int)`, `map(string, dyn)`. */
  toString(): string {
    return this.text;
  }

  get isDynamic(): boolean {
    return this.kind === 'dyn' || this.kind === 'error';
  }
}

function textOf({ kind, name, parameters }: CelType): string {
  const base = shortNames[kind] ?? name;
  return parameters.length === 0 ? base : `${base}(${parameters.join(', ')})`;
}

const shortNames: Readonly<Partial<Record<CelKind, string>>> = {
  null: 'null',
  timestamp: 'timestamp',
  duration: 'duration',
  error: '!error!',
};

export const dynType = new CelType('dyn', 'dyn');
/** The type of an invalid expression: assignable to everything, so that one error is reported once. */
export const errorType = new CelType('error', '!error!');
export const nullType = new CelType('null', 'null_type');
export const boolType = new CelType('bool', 'bool');
export const intType = new CelType('int', 'int');
export const uintType = new CelType('uint', 'uint');
export const doubleType = new CelType('double', 'double');
export const stringType = new CelType('string', 'string');
export const bytesType = new CelType('bytes', 'bytes');
export const timestampType = new CelType('timestamp', 'google.protobuf.Timestamp');
export const durationType = new CelType('duration', 'google.protobuf.Duration');
export const typeType = new CelType('type', 'type');

export function listType(item: CelType): CelType {
  return new CelType('list', 'list', [item]);
}

export function mapType(key: CelType, value: CelType): CelType {
  return new CelType('map', 'map', [key, value]);
}

export function optionalType(value: CelType): CelType {
  return new CelType('opaque', 'optional_type', [value]);
}

/** A type with its own name and functions, such as `net.IP`. */
export function opaqueType(name: string): CelType {
  return new CelType('opaque', name);
}

/** The type of a type: the result of `type(x)`. */
export function typeOfType(type: CelType): CelType {
  return new CelType('type', 'type', [type]);
}

export function typeParameter(name: string): CelType {
  return new CelType('parameter', name);
}

export function wrapperType(type: CelType): CelType {
  return new CelType('wrapper', 'wrapper', [type]);
}

/** An object with declared fields; `fields` are by their names in expressions. */
export function objectType(name: string, fields: ReadonlyMap<string, CelType>): CelType {
  return new CelType('object', name, [], (field) => fields.get(field));
}

export function isOptional(type: CelType): boolean {
  return type.kind === 'opaque' && type.name === 'optional_type';
}

export function sameType(a: CelType, b: CelType): boolean {
  return a === b || (a.kind === b.kind && a.text === b.text);
}

/** The types of the language that have a name in expressions: `type(self.x) == string`. */
export const namedTypes: readonly CelType[] = [
  boolType,
  bytesType,
  doubleType,
  durationType,
  intType,
  listType(dynType),
  mapType(dynType, dynType),
  nullType,
  optionalType(dynType),
  stringType,
  timestampType,
  typeType,
  uintType,
];
