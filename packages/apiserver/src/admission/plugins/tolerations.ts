import type { Toleration } from '@coracle/api';
import { deepEqual } from '@coracle/base';

/** Whether `one` tolerates every taint that `other` tolerates. */
export function covers(other: Toleration, one: Toleration): boolean {
  if (deepEqual(other, one)) return true;
  const anyKey = !other.key && other.operator === 'Exists';
  if (other.key !== one.key && !anyKey) return false;
  if (other.effect && other.effect !== one.effect) return false;
  if (other.effect === 'NoExecute' && other.tolerationSeconds !== undefined) {
    if (one.tolerationSeconds === undefined || one.tolerationSeconds > other.tolerationSeconds) return false;
  }
  if (other.operator === 'Exists') return true;
  return (one.operator ?? 'Equal') === (other.operator ?? 'Equal') && (one.value ?? '') === (other.value ?? '');
}

/** The union of both, without tolerations that another one covers. Of two equal ones the first stays. */
export function merged(first: readonly Toleration[], second: readonly Toleration[]): Toleration[] {
  const all = [...first, ...second];
  return all.filter(
    (toleration, index) =>
      !all.some((other, at) => at !== index && covers(other, toleration) && (at < index || !covers(toleration, other))),
  );
}
