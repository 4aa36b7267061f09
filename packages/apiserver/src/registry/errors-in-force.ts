import type { FieldError } from '@coracle/apimachinery';
import type { FeatureGates, Gate } from '../features/feature-gates.js';

/** The field errors that apply with the current feature gates. */
export function inForce(errors: readonly FieldError[], features: FeatureGates): FieldError[] {
  // Rules name only gates that have an effect.
  const isOn = (gate: string) => features.isOn(gate as Gate);
  return errors.filter(({ scope }) => {
    if (scope?.whileOn !== undefined && !isOn(scope.whileOn)) return false;
    return scope?.whileOff === undefined || !isOn(scope.whileOff);
  });
}

/** Field errors without those that the previous object had too, if the rule is newer than the object may be. */
export function withoutOldErrors(errors: FieldError[], previous: () => readonly FieldError[]): FieldError[] {
  if (!errors.some(({ scope }) => scope?.newRule !== undefined)) return errors;
  const broken = new Set(previous().map(({ scope }) => scope?.newRule));
  return errors.filter(({ scope }) => scope?.newRule === undefined || !broken.has(scope.newRule));
}
