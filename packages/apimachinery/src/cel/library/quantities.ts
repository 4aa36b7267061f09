import { parseQuantity, Quantity } from '../../quantity.js';
import { declare, type FunctionDeclaration, global, member, signature } from '../overload.js';
import { boolType, type CelType, doubleType, intType, opaqueType, stringType } from '../values/cel-type.js';
import { CelOpaque } from '../values/cel-value.js';
import { fail } from '../values/evaluation-failure.js';

const quantityType = opaqueType('kubernetes.Quantity');
const nano = 1_000_000_000n;
/** Amounts with more digits are kept as decimals, which are never integers here. */
const largestInteger = 10n ** 18n;

class CelQuantity extends CelOpaque {
  readonly type: CelType = quantityType;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: CelOpaque): boolean {
    return other instanceof CelQuantity && this.quantity.equals(other.quantity);
  }
}

function read(text: string): CelQuantity {
  try {
    return new CelQuantity(parseQuantity(text));
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

function isInteger({ quantity }: CelQuantity): boolean {
  const value = quantity.nanos / nano;
  return quantity.isInteger && value < largestInteger && value > -largestInteger;
}

function asInteger(value: CelQuantity): bigint {
  return isInteger(value) ? value.quantity.nanos / nano : fail('cannot convert value to integer');
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
  declare(
    'asApproximateFloat',
    member(signature('quantity_get_float', [quantityType], doubleType), ({ quantity }: CelQuantity) =>
      quantity.toNumber(),
    ),
  ),
  declare('asInteger', member(signature('quantity_get_int', [quantityType], intType), asInteger)),
  declare('isInteger', member(signature('quantity_is_integer', [quantityType], boolType), isInteger)),
  declare(
    'add',
    member(
      signature('quantity_add', [quantityType, quantityType], quantityType),
      (x: CelQuantity, y: CelQuantity) => new CelQuantity(x.quantity.add(y.quantity)),
    ),
    member(
      signature('quantity_add_int', [quantityType, intType], quantityType),
      (x: CelQuantity, y: bigint) => new CelQuantity(x.quantity.add(Quantity.of(y))),
    ),
  ),
  declare(
    'sub',
    member(
      signature('quantity_sub', [quantityType, quantityType], quantityType),
      (x: CelQuantity, y: CelQuantity) => new CelQuantity(x.quantity.sub(y.quantity)),
    ),
    member(
      signature('quantity_sub_int', [quantityType, intType], quantityType),
      (x: CelQuantity, y: bigint) => new CelQuantity(x.quantity.sub(Quantity.of(y))),
    ),
  ),
];
