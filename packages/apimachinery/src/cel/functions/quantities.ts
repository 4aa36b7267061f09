import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { parseQuantity, Quantity } from '../../quantity.js';

const type = 'kubernetes.Quantity';

/** `quantity("1Gi").isGreaterThan(quantity("100M"))`. */
export function registerQuantities(environment: Environment): void {
  environment
    .registerType(type, Quantity)
    .registerFunction(`quantity(string): ${type}`, parseQuantity)
    .registerFunction('isQuantity(string): bool', isQuantity)
    .registerFunction(`${type}.sign(): int`, (a: Quantity) => BigInt(a.sign))
    .registerFunction(`${type}.isInteger(): bool`, isInteger)
    .registerFunction(`${type}.asInteger(): int`, asInteger)
    .registerFunction(`${type}.asApproximateFloat(): double`, (a: Quantity) => a.toNumber())
    .registerFunction(`${type}.isGreaterThan(${type}): bool`, (a: Quantity, b: Quantity) => a.compare(b) > 0)
    .registerFunction(`${type}.isLessThan(${type}): bool`, (a: Quantity, b: Quantity) => a.compare(b) < 0)
    .registerFunction(`${type}.compareTo(${type}): int`, (a: Quantity, b: Quantity) => BigInt(a.compare(b)))
    .registerFunction(`${type}.add(${type}): ${type}`, (a: Quantity, b: Quantity) => a.add(b))
    .registerFunction(`${type}.add(int): ${type}`, (a: Quantity, b: bigint) => a.add(Quantity.of(b)))
    .registerFunction(`${type}.sub(${type}): ${type}`, (a: Quantity, b: Quantity) => a.sub(b))
    .registerFunction(`${type}.sub(int): ${type}`, (a: Quantity, b: bigint) => a.sub(Quantity.of(b)))
    .registerOperator(`${type} == ${type}`, (a: Quantity, b: Quantity) => a.equals(b));
}

function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch {
    return false;
  }
}

function fitsInt64(nanos: bigint): boolean {
  const value = nanos / 1_000_000_000n;
  return value < 2n ** 63n && value >= -(2n ** 63n);
}

function isInteger(quantity: Quantity): boolean {
  return quantity.isInteger && fitsInt64(quantity.nanos);
}

function asInteger(quantity: Quantity): bigint {
  if (!isInteger(quantity)) throw new EvaluationError('cannot convert value to integer');
  return quantity.nanos / 1_000_000_000n;
}
