import type { Taint, Toleration } from '../../generated/types/core-v1.js';

/** Whether a toleration tolerates a taint. No key means all keys; no effect means all effects. */
export function tolerates({ key, operator, value, effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  switch (operator ?? 'Equal') {
    case 'Exists':
      return true;
    case 'Equal':
      return (value ?? '') === (taint.value ?? '');
    case 'Lt':
      return compareNumbers(taint.value, value, (a, b) => a < b);
    case 'Gt':
      return compareNumbers(taint.value, value, (a, b) => a > b);
    default:
      return false;
  }
}

export function toleratesAny(tolerations: readonly Toleration[] | undefined, taint: Taint): boolean {
  return tolerations?.some((toleration) => tolerates(toleration, taint)) ?? false;
}

function compareNumbers(
  taint: string | undefined,
  value: string | undefined,
  holds: (a: bigint, b: bigint) => boolean,
): boolean {
  const whole = /^-?\d+$/;
  if (!whole.test(taint ?? '') || !whole.test(value ?? '')) return false;
  return holds(BigInt(taint as string), BigInt(value as string));
}
