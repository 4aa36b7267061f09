import { formatNumber } from '../go-float.js';
import { writeJson } from '../write-json.js';
import { evaluatePath } from './evaluate-path.js';
import { parseTemplate } from './parse-template.js';
import type { Part, Path } from './path.js';

export interface JsonPathOptions {
  /** Missing fields and elements have no result, instead of an error. */
  readonly allowMissing?: boolean;
  /** An index beyond the end of a list is an error, even where missing fields are not. */
  readonly indexesMustExist?: boolean;
}

/**
 * JSONPath as in kubectl: `{.items[*].metadata.name}`, with text around the braces, `{range .items[*]}…{end}`, slices,
 * unions, `..` and filters such as `[?(@.type=="Ready")]`.
 */
export class JsonPath {
  readonly #parts: readonly Part[];
  readonly #allowMissing: boolean;
  readonly #indexesMustExist: boolean;

  /** Throws a `JsonPathError` when the template is malformed. */
  constructor(template: string, { allowMissing = false, indexesMustExist = !allowMissing }: JsonPathOptions = {}) {
    this.#parts = parseTemplate(template);
    this.#allowMissing = allowMissing;
    this.#indexesMustExist = indexesMustExist;
  }

  /** The values of the first path of the template. */
  find(data: unknown): unknown[] {
    const first = this.#parts.find((part) => part.kind !== 'text');
    return first ? this.#evaluate(first.path, data, data) : [];
  }

  /** The template with paths replaced by their values; several values of one path are separated by spaces. */
  format(data: unknown): string {
    return this.#format(this.#parts, data, data);
  }

  #format(parts: readonly Part[], value: unknown, root: unknown): string {
    let text = '';
    for (const part of parts) {
      if (part.kind === 'text') text += part.text;
      else {
        const values = this.#evaluate(part.path, value, root);
        if (part.kind === 'path') text += values.map(formatJsonPathValue).join(' ');
        else for (const each of values) text += this.#format(part.body, each, root);
      }
    }
    return text;
  }

  #evaluate(path: Path, value: unknown, root: unknown): unknown[] {
    return evaluatePath(path, [value], {
      root,
      allowMissing: this.#allowMissing,
      indexesMustExist: this.#indexesMustExist,
    });
  }
}

/** Text as it is, numbers as Go prints them, objects and lists as JSON. */
export function formatJsonPathValue(value: unknown): string {
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'string' ? value : (writeJson(value) ?? '');
}
