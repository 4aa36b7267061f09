/**
 * Where in an object a value stands, for messages: `spec.containers[0].ports[1].hostPort`, `metadata.labels[app]`.
 * Made from the inside of validation, so it is cheap: the text is put together only when asked for.
 */
export class FieldPath {
  readonly #parent: FieldPath | undefined;
  readonly #step: string;

  private constructor(parent: FieldPath | undefined, step: string) {
    this.#parent = parent;
    this.#step = step;
  }

  /** A path from its first field names. */
  static of(...names: string[]): FieldPath {
    let path: FieldPath | undefined;
    for (const name of names) path = new FieldPath(path, path === undefined ? name : `.${name}`);
    return path ?? new FieldPath(undefined, '');
  }

  child(...names: string[]): FieldPath {
    let path: FieldPath = this;
    for (const name of names) path = new FieldPath(path, path.#isRoot ? name : `.${name}`);
    return path;
  }

  index(index: number): FieldPath {
    return new FieldPath(this, `[${index}]`);
  }

  key(key: string): FieldPath {
    return new FieldPath(this, `[${key}]`);
  }

  get #isRoot(): boolean {
    return this.#parent === undefined && this.#step === '';
  }

  toString(): string {
    return this.#parent === undefined ? this.#step : this.#parent.toString() + this.#step;
  }
}
