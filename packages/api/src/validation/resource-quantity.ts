import { type FieldError, type FieldPath, invalidField, parseQuantity } from '@coracle/apimachinery';
import { isIntegerResource } from './resource-names.js';

/** An amount of a resource: not negative, and whole for resources that come in wholes. */
export function checkResourceQuantity(path: FieldPath, name: string, quantity: string): FieldError[] {
  const errors = checkNonNegativeQuantity(path, quantity);
  if (isIntegerResource(name) && parseQuantity(quantity).milliValue() % 1000 !== 0) {
    errors.push(invalidField(path, quantity, 'must be an integer'));
  }
  return errors;
}

export function checkNonNegativeQuantity(path: FieldPath, quantity: string): FieldError[] {
  if (parseQuantity(quantity).sign >= 0) return [];
  return [invalidField(path, quantity, 'must be greater than or equal to 0')];
}

export function checkPositiveQuantity(path: FieldPath, quantity: string): FieldError[] {
  return parseQuantity(quantity).sign > 0 ? [] : [invalidField(path, quantity, 'must be greater than zero')];
}
