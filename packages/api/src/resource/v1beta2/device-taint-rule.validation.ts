import { type FieldError, FieldPath } from '@coracle/apimachinery';
import type { DeviceTaintRule, DeviceTaintSelector } from '../../generated/types/resource-v1beta2.js';
import { checkConditions } from '../../validation/conditions.js';
import { checkDriverName } from '../../validation/driver-name.js';
import { checkTaint } from '../v1/device.validation.js';
import { checkLabel, checkPoolName } from '../v1/device-parts.validation.js';

const specPath = FieldPath.of('spec');

/** A taint that an administrator puts on devices, whatever their driver says. */
export function validateDeviceTaintRule({ spec }: DeviceTaintRule): FieldError[] {
  return [
    ...checkSelector(specPath.child('deviceSelector'), spec?.deviceSelector ?? {}),
    ...checkTaint(specPath.child('taint'), spec?.taint ?? { key: '', effect: '' }),
  ];
}

/** An unchanged effect may be one of another version. */
export function validateDeviceTaintRuleUpdate(rule: DeviceTaintRule, previous: DeviceTaintRule): FieldError[] {
  const isSame = rule.spec?.taint?.effect === previous.spec?.taint?.effect;
  return validateDeviceTaintRule(rule).filter(({ field }) => !isSame || field !== 'spec.taint.effect');
}

export function validateDeviceTaintRuleStatusUpdate({ status }: DeviceTaintRule): FieldError[] {
  return checkConditions(FieldPath.of('status', 'conditions'), status?.conditions);
}

function checkSelector(path: FieldPath, { driver, pool, device }: DeviceTaintSelector): FieldError[] {
  return [
    ...(driver === undefined ? [] : checkDriverName(path.child('driver'), driver)),
    ...(pool === undefined ? [] : checkPoolName(path.child('pool'), pool)),
    ...(device === undefined ? [] : checkLabel(path.child('device'), device)),
  ];
}
