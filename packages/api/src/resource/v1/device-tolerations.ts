import type { DeviceTaint, DeviceToleration } from '../../generated/types/resource-v1.js';

/** Whether a toleration of a request matches a taint of a device. */
export function toleratesDeviceTaint(
  { key, operator = 'Equal', value = '', effect }: DeviceToleration,
  taint: DeviceTaint,
): boolean {
  if (effect && effect !== taint.effect) return false;
  if (key && key !== taint.key) return false;
  return operator === 'Exists' || (key !== undefined && value === (taint.value ?? ''));
}
