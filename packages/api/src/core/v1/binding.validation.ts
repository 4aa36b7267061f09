import { type FieldError, FieldPath, notSupportedField, requiredField } from '@coracle/apimachinery';
import type { Binding } from '../../generated/types/core-v1.js';

const targetPath = FieldPath.of('target');

/** A pod is bound to a node, by its name. */
export function validateBinding({ target }: Binding): FieldError[] {
  const { kind, name } = target ?? {};
  return [
    ...(kind && kind !== 'Node' ? [notSupportedField(targetPath.child('kind'), kind, ['Node', '<empty>'])] : []),
    ...(name ? [] : [requiredField(targetPath.child('name'))]),
  ];
}
