/**
 * The path of a value in an object, for messages: `spec.containers[0].ports[1].hostPort`, `metadata.labels[app]`.
 * Validation creates many, so they are cheap: the text is computed only when it is needed.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string | number;
  /** True for a step in brackets: the key of a map, the index of a list. */
  readonly #isInside: boolean;

  private constructor(parent: FieldPath | undefined, step: string | number, isInside: boolean) {
    this.#parent = parent;
    this.#step = step;
    this.#isInside = isInside;
  }

  /** A path from its first field names. */
  static of(...names: string[]): FieldPath {
    let path: FieldPath | undefined;
    for (const name of names) path = new FieldPath(path, name, false);
    return path ?? new FieldPath(undefined, '', false);
  }

  /** Names of fields, outermost first. Not a rest parameter, because this is called for every validated field. */
  child(name: string, second?: string, third?: string): FieldPath {
    const path = new FieldPath(this, name, false);
    if (second === undefined) return path;
    return third === undefined ? path.child(second) : path.child(second, third);
  }

  index(index: number): FieldPath {
    return new FieldPath(this, index, true);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, key, true);
  }

  toString(): string {
    const before = this.#parent === undefined ? '' : this.#parent.toString();
    if (this.#isInside) return `${before}[${this.#step}]`;
    return before === '' ? `${this.#step}` : `${before}.${this.#step}`;
  }
}
