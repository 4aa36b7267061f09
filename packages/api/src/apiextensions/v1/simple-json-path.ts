import { type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';

const simplePath = /^(?:\.[A-Za-z_$][\w$-]*|\['(?:[^'\\]|\\.)+'\]|\[\d+\])+$/;

/** `.spec.replicas`: field names and nothing that could select more than one value. */
export function checkSimpleJsonPath(path: FieldPath, value: string): FieldError[] {
  if (value === '') return [invalidField(path, value, 'must not be empty')];
  if (!value.startsWith('.')) return [invalidField(path, value, 'must be a simple json path starting with .')];
  if (value === '.' || simplePath.test(value)) return [];
  return [invalidField(path, value, 'is an invalid path: only field names are allowed')];
}
