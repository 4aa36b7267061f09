import { type FieldError, type FieldPath, invalidField } from '@coracle/apimachinery';

/** Columns may select by conditions (`.status.conditions[?(@.type=="Ready")].status`), so only the beginning is looked at. */
export function checkJsonPath(path: FieldPath, value: string): FieldError[] {
  if (value === '') return [invalidField(path, value, 'must not be empty')];
  return value.startsWith('.') ? [] : [invalidField(path, value, 'must be a simple json path starting with .')];
}
