/** The object as a record of its fields, for code that treats all fields alike: interfaces of kinds have no index signature. */
export function fieldsOf(object: object): Record<string, unknown> {
  return object as Record<string, unknown>;
}
