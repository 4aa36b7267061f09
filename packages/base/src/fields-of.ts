/** An object by the names of its fields, for those who treat all fields alike: the types of kinds have no index. */
export function fieldsOf(object: object): Record<string, unknown> {
  return object as Record<string, unknown>;
}
