import type { FieldError } from '@coracle/apimachinery';
import type { FeatureGates, Gate } from '../features/feature-gates.js';

/** Those field errors that count while the gates are as they are. */
export function inForce(errors: readonly FieldError[], features: FeatureGates): FieldError[] {
  // Rules name only gates that decide something here.
  const isOn = (gate: string) => features.isOn(gate as Gate);
  return errors.filter(({ scope }) => {
    if (scope?.whileOn !== undefined && !isOn(scope.whileOn)) return false;
    return scope?.whileOff === undefined || !isOn(scope.whileOff);
  });
}

/** Without field errors by rules that the object broke before, since it is older than they are. */
export function withoutOldErrors(errors: FieldError[], previous: () => readonly FieldError[]): FieldError[] {
  if (!errors.some(({ scope }) => scope?.newRule !== undefined)) return errors;
  const broken = new Set(previous().map(({ scope }) => scope?.newRule));
  return errors.filter(({ scope }) => scope?.newRule === undefined || !broken.has(scope.newRule));
}
