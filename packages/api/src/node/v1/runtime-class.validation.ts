import { duplicateField, type FieldError, FieldPath, isDns1123Label, validateLabels } from '@coracle/apimachinery';
import { deepEqual } from '@coracle/base';
import { validateResourceRequirements } from '../../core/v1/resources.validation.js';
import { validateTolerations } from '../../core/v1/toleration.validation.js';
import type { Toleration } from '../../generated/types/core-v1.js';
import type { RuntimeClass } from '../../generated/types/node-v1.js';
import { checkImmutable, checkValue } from '../../validation/field-checks.js';
import { goValue } from '../../validation/go-value.js';

export function validateRuntimeClass({ handler, overhead, scheduling }: RuntimeClass): FieldError[] {
  const path = FieldPath.of('scheduling');
  const limits = overhead?.podFixed;
  return [
    ...checkValue(FieldPath.of('handler'), handler, isDns1123Label),
    ...(limits ? validateResourceRequirements(FieldPath.of('overhead'), { limits }) : []),
    ...validateLabels(scheduling?.nodeSelector, path.child('nodeSelector')),
    ...checkTolerations(path.child('tolerations'), scheduling?.tolerations ?? []),
  ];
}

function checkTolerations(path: FieldPath, tolerations: readonly Toleration[]): FieldError[] {
  const repeated = tolerations.flatMap((toleration, index) =>
    tolerations.slice(0, index).some((other) => deepEqual(other, toleration))
      ? [duplicateField(path.index(index), goValue('core-v1/Toleration', toleration))]
      : [],
  );
  return [...validateTolerations(path, tolerations), ...repeated];
}

export function validateRuntimeClassUpdate(runtimeClass: RuntimeClass, previous: RuntimeClass): FieldError[] {
  return [
    ...validateRuntimeClass(runtimeClass),
    ...checkImmutable(FieldPath.of('handler'), runtimeClass.handler, previous.handler),
  ];
}
