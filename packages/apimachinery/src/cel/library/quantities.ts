import { parseQuantity, Quantity } from '../../quantity.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { boolType, type CelType, doubleType, intType, opaqueType, stringType } from '../values/cel-type.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';
import { addShort, type ShortAmount, shortAmount, wholeOf } from './short-amount.js';

const quantityType = opaqueType('kubernetes.Quantity');

class CelQuantity extends CelOpaque {
  readonly type: CelType = quantityType;
  readonly quantity: Quantity;
  readonly short: ShortAmount | undefined;

  constructor(quantity: Quantity, short: ShortAmount | undefined) {
    super();
    this.quantity = quantity;
    this.short = short;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && this.quantity.equals(other.quantity);
  }
}

function read(text: string): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(text), shortAmount(text));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function isInteger({ short }: CelQuantity): boolean {
  return short !== undefined && wholeOf(short) !== undefined;
}

function asInteger({ short }: CelQuantity): bigint {
  return (short && wholeOf(short)) ?? fail('cannot convert value to integer');
}

function asFloat({ quantity, short }: CelQuantity): number {
  if (!short) return Number(quantity.nanos) * 1e-9;
  return short.scale === 0 ? Number(short.value) : Number(short.value) * Number(`1e${short.scale}`);
}

function add(x: CelQuantity, y: CelQuantity): CelQuantity {
  return new CelQuantity(x.quantity.add(y.quantity), x.short && y.short && addShort(x.short, y.short));
}

function sub(x: CelQuantity, { quantity, short }: CelQuantity): CelQuantity {
  return add(x, new CelQuantity(quantity.neg(), short && { ...short, value: -short.value }));
}

function ofInt(value: bigint): CelQuantity {
  return new CelQuantity(Quantity.of(value), { value, scale: 0 });
}

function compare(x: CelQuantity, y: CelQuantity): number {
  return x.quantity.compare(y.quantity);
}

export const quantityTypes: readonly CelType[] = [quantityType];

export const quantityFunctions: readonly FunctionDeclaration[] = [
  declare('quantity', global(signature('string_to_quantity', [stringType], quantityType), read)),
  declare('isQuantity', global(signature('is_quantity_string', [stringType], boolType), isQuantity)),
  declare(
    'sign',
    global(signature('quantity_sign', [quantityType], intType), ({ quantity }: CelQuantity) => BigInt(quantity.sign)),
  ),
  declare(
    'isGreaterThan',
    member(
      signature('quantity_is_greater_than', [quantityType, quantityType], boolType),
      (x: CelQuantity, y: CelQuantity) => compare(x, y) > 0,
    ),
  ),
  declare(
    'isLessThan',
    member(
      signature('quantity_is_less_than', [quantityType, quantityType], boolType),
      (x: CelQuantity, y: CelQuantity) => compare(x, y) < 0,
    ),
  ),
  declare(
    'compareTo',
    member(signature('quantity_compare_to', [quantityType, quantityType], intType), (x: CelQuantity, y: CelQuantity) =>
      BigInt(compare(x, y)),
    ),
  ),
  declare('asApproximateFloat', member(signature('quantity_get_float', [quantityType], doubleType), asFloat)),
  declare('asInteger', member(signature('quantity_get_int', [quantityType], intType), asInteger)),
  declare('isInteger', member(signature('quantity_is_integer', [quantityType], boolType), isInteger)),
  declare(
    'add',
    member(signature('quantity_add', [quantityType, quantityType], quantityType), add),
    member(signature('quantity_add_int', [quantityType, intType], quantityType), (x: CelQuantity, y: bigint) =>
      add(x, ofInt(y)),
    ),
  ),
  declare(
    'sub',
    member(signature('quantity_sub', [quantityType, quantityType], quantityType), sub),
    member(signature('quantity_sub_int', [quantityType, intType], quantityType), (x: CelQuantity, y: bigint) =>
      sub(x, ofInt(y)),
    ),
  ),
];
