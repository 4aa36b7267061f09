import type { FieldPath } from '@coracle/apimachinery';

/** The location of a value. */
export interface ValuePlace {
  readonly path: FieldPath;
  /** The path in messages, counted from the value that the whole schema is about. */
  readonly shown: string;
}

/** The place of a field that the schema names. */
export function placeOfField({ path, shown }: ValuePlace, name: string): ValuePlace {
  return { path: path.child(name), shown: shown === '' ? name : `${shown}.${name}` };
}

/** The place of a field of a map: upstream puts the dot even where nothing is before it. */
export function placeOfEntry({ path, shown }: ValuePlace, name: string): ValuePlace {
  return { path: path.child(name), shown: `${shown}.${name}` };
}

export function placeOfItem({ path, shown }: ValuePlace, index: number): ValuePlace {
  const item = `[${index}]`;
  return { path: shown === '' ? path.child(item) : path.index(index), shown: shown + item };
}
