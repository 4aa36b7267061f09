import { type Document, parseAllDocuments, stringify } from 'yaml';
import { decodeUtf8, parseJson } from './decode-json.js';
import { badRequest } from './status-error.js';
import { duplicateKeys, nestsTooDeep } from './yaml-structure.js';

export interface YamlLimits {
  /** How often aliases may be expanded in one document; beyond, a small text would fill the memory. */
  readonly maxAliases?: number;
  /** The parser calls itself for every level, so this is far less than in JSON. */
  readonly maxDepth?: number;
}

/** One document of a YAML stream. */
export interface YamlDocument {
  readonly value: unknown;
  /** Full paths of the keys that a mapping has twice. The last value won. */
  readonly duplicateFields: string[];
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
 * YAML is JSON in other clothes here: words such as `yes` and `on` are booleans and `0644` is octal, as in YAML 1.1;
 * times stay text, keys become text. Bad text is a `StatusError`.
 */
export function parseYamlDocuments(input: Uint8Array | string, limits: YamlLimits = {}): YamlDocument[] {
  const { maxAliases = 1_000, maxDepth = 256 } = limits;
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const json = asJsonText(text);
  if (json) return [json];
  if (nestsTooDeep(text, maxDepth)) throw badRequest('error converting YAML to JSON: yaml: exceeded max depth');
  const documents = refusing(() => parseAllDocuments(text, parseOptions));
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => readDocument(document, maxAliases)).filter(({ value }) => value !== null);
}

/** One document with its keys sorted, as the Go tools print. Text that YAML 1.1 would read as something else is quoted. */
export function formatYaml(value: unknown): string {
  return stringify(value, formatOptions);
}

export function formatYamlDocuments(values: readonly unknown[]): string {
  return values.map(formatYaml).join('---\n');
}

const formatOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  lineWidth: 0,
  aliasDuplicateObjects: false,
  indentSeq: false,
  sortMapEntries: true,
} as const;

/** Most that is JSON is far quicker read as such. Broken JSON may still be YAML. */
function asJsonText(text: string): YamlDocument | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function readDocument(document: Document, maxAliases: number): YamlDocument {
  const [error] = document.errors;
  if (error) throw badRequest(`error converting YAML to JSON: yaml: ${error.message}`);
  const value = refusing(() => asJson(document.toJS({ maxAliasCount: maxAliases })));
  return { value, duplicateFields: duplicateKeys(document.contents) };
}

interface Tag {
  readonly tag?: string;
  readonly format?: string;
}

/** Their values would not be JSON. */
const foreignTags = /:(?:timestamp|set|omap|pairs|binary)$/;

const parseOptions = {
  version: '1.1',
  schema: 'yaml-1.1',
  merge: true,
  // The Go tools read `12:30` as text, not as a number to the base of 60.
  customTags: (tags: unknown[]) =>
    tags.filter((tag) => (tag as Tag).format !== 'TIME' && !foreignTags.test((tag as Tag).tag ?? '')) as never,
  // The library compares each key with all others. `duplicateKeys` takes linear time.
  uniqueKeys: false,
  logLevel: 'silent',
} as const;

function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw badRequest(`error converting YAML to JSON: yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What JSON can say, and nothing shared: an alias would put one object into two places. */
function asJson(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`not a JSON number: ${value}`);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(asJson);
  const object: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value))
    Object.defineProperty(object, key, { value: asJson(field), enumerable: true, writable: true, configurable: true });
  return object;
}
