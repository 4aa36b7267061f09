import { dump, loadAll, YAMLException } from 'js-yaml';
import { decodeUtf8, parseJson } from './decode-json.js';
import { badRequest } from './status-error.js';
import { goYamlSchema } from './yaml-schema.js';

export interface YamlLimits {
  /** The parser calls itself for every level, so this is far less than in JSON. */
  readonly maxDepth?: number;
}

/** One document of a YAML stream. */
export interface YamlDocument {
  readonly value: unknown;
  /** Full paths of the keys that an object has twice, where the text is JSON. The last value won. */
  readonly duplicateFields: string[];
  /** What else a strict reader refuses, in the words of the Go tools: a mapping that has a key twice. */
  readonly problems?: readonly string[];
}

/** Reads exactly one document, or none, which is `null`. See `parseYamlDocuments`. */
export function parseYaml(input: Uint8Array | string, limits: YamlLimits = {}): unknown {
  const documents = parseYamlDocuments(input, limits);
  if (documents.length > 1) throw badRequest('yaml: expected a single document in the stream');
  return documents[0]?.value ?? null;
}

/**
 * Reads a stream of documents separated by `---`. Empty ones are left out.
 *
 * YAML is JSON in other clothes here; see `goYamlSchema` for what plain words mean. Bad text is a `StatusError`.
 */
export function parseYamlDocuments(input: Uint8Array | string, limits: YamlLimits = {}): YamlDocument[] {
  const { maxDepth = 256 } = limits;
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const fromJson = asJsonText(text);
  if (fromJson) return [fromJson];
  const { values, problem } = load(text, maxDepth);
  const isPlain = !needsCopy.test(text);
  const json = isPlain ? values : refusing(() => values.map((value) => new JsonCopy(text.length, maxDepth).of(value)));
  const documents = json.filter((value) => value !== null && value !== undefined);
  return documents.map((value) => ({ value, duplicateFields: [], ...(problem && { problems: [problem] }) }));
}

/** Text without these has no aliases and no numbers that JSON cannot say. */
const needsCopy = /[*]|\.(?:inf|nan)/i;

/** One document with its keys sorted, as the Go tools print. Text that YAML 1.1 would read as something else is quoted. */
export function formatYaml(value: unknown): string {
  return dump(value, {
    schema: goYaml(),
    lineWidth: -1,
    noRefs: true,
    noArrayIndent: true,
    sortKeys: true,
    quotingType: '"',
  });
}

export function formatYamlDocuments(values: readonly unknown[]): string {
  return values.map(formatYaml).join('---\n');
}

let schema: ReturnType<typeof goYamlSchema> | undefined;

/** Made when it is first needed; it never changes. */
function goYaml(): ReturnType<typeof goYamlSchema> {
  schema ??= goYamlSchema();
  return schema;
}

/** Most that is JSON is far quicker read as such. Broken JSON may still be YAML. */
function asJsonText(text: string): YamlDocument | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The parser stops at a key that a mapping has twice; then the text is read again by a reader that does not mind. */
function load(text: string, maxDepth: number): { values: unknown[]; problem?: string } {
  const options = { schema: goYaml(), maxDepth };
  try {
    return { values: loadAll(text, null, options) };
  } catch (error) {
    const problem = duplicateKey(error, text);
    if (problem === undefined) throw unreadable(error);
    return { values: refusing(() => loadAll(text, null, { ...options, json: true })), problem };
  }
}

function duplicateKey(error: unknown, text: string): string | undefined {
  if (!(error instanceof YAMLException) || error.reason !== 'duplicated mapping key') return undefined;
  const { line, position } = error.mark;
  const [, quoted, plain] = /^["']([^"']*)["']|^([^\s:,{}[\]]+)/.exec(text.slice(position)) ?? [];
  return `yaml: unmarshal errors:\n  line ${line + 1}: key ${JSON.stringify(quoted ?? plain ?? '')} already set in map`;
}

function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw unreadable(error);
  }
}

function unreadable(error: unknown) {
  const why =
    error instanceof YAMLException ? `${error.reason} (line ${error.mark.line + 1})` : (error as Error).message;
  return badRequest(`error converting YAML to JSON: yaml: ${why}`);
}

/** What JSON can say, and nothing shared: an alias puts one object into two places, or into itself. */
class JsonCopy {
  #left: number;
  readonly #maxDepth: number;

  /** A small text may not grow without bounds by its aliases. */
  constructor(textLength: number, maxDepth: number) {
    this.#left = 10 * textLength + 1_000;
    this.#maxDepth = maxDepth;
  }

  of(value: unknown, depth = 0): unknown {
    if (--this.#left < 0) throw new Error('document contains excessive aliasing');
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`not a JSON number: ${value}`);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > this.#maxDepth) throw new Error('exceeded max depth');
    if (Array.isArray(value)) return value.map((item) => this.of(item, depth + 1));
    const object: Record<string, unknown> = {};
    for (const [key, field] of Object.entries(value)) {
      const copied = this.of(field, depth + 1);
      if (key !== '__proto__') object[key] = copied;
      else Object.defineProperty(object, key, { value: copied, enumerable: true, writable: true, configurable: true });
    }
    return object;
  }
}
