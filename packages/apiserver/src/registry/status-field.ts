import { emptyValue, type KubeObject, type ObjectSchema, type ResourceInfo } from '@coracle/apimachinery';

export function hasStatus({ subresources }: ResourceInfo): boolean {
  return subresources.some(({ name }) => name === 'status');
}

/** Removes the status, or sets an empty one if the kind always has one. */
export function clearStatus(object: KubeObject, schema: ObjectSchema): void {
  const target = object as { status?: unknown };
  const field = schema.fields.get('status');
  if (field?.presence === 'always') target.status = emptyValue(field.schema);
  else delete target.status;
}
