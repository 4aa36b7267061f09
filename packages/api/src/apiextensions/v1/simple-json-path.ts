import { type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';

const simplePath = /^(?:\.[A-Za-z_$][\w$-]*|\['(?:[^'\\]|\\.)+'\]|\[\d+\])+$/;

/** Columns may select by conditions (`.status.conditions[?(@.type=="Ready")].status`), so only the beginning is looked at. */
export function checkJsonPath(path: FieldPath, value: string): FieldError[] {
  if (value === '') return [invalidField(path, value, 'must not be empty')];
  return value.startsWith('.') ? [] : [invalidField(path, value, 'must be a simple json path starting with .')];
}

/** `.spec.replicas`: field names and nothing that could select more than one value. */
export function checkSimpleJsonPath(path: FieldPath, value: string): FieldError[] {
  const errors = checkJsonPath(path, value);
  if (errors.length > 0 || value === '.' || simplePath.test(value)) return errors;
  return [invalidField(path, value, 'is an invalid path: only field names are allowed')];
}
