import { dump } from 'js-yaml';
import { decodeUtf8, parseJson } from '../decode-json.js';
import { badRequest, type StatusError } from '../status-error.js';
import { YamlProblem } from './cursor.js';
import { goYamlSchema } from './dump-schema.js';
import { type ParsedDocument, parseStream } from './parse-stream.js';

export interface YamlLimits {
  /** The parser calls itself for every level, so this is far less than in JSON. */
  readonly maxDepth?: number;
}

/** One document of a YAML stream. */
export interface YamlDocument {
  readonly value: unknown;
  /** Full paths of the keys that an object has twice, where the text is JSON. The last value won. */
  readonly duplicateFields: string[];
  /** An error that only a strict reader reports, with the message of the Go tools: a mapping with a duplicate key. */
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
 * YAML is parsed to the same values as JSON; see `plainValue` for what plain words mean. Bad text is a `StatusError`.
 */
export function parseYamlDocuments(input: Uint8Array | string, limits: YamlLimits = {}): YamlDocument[] {
  const { maxDepth = 256 } = limits;
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const fromJson = asJsonText(text);
  if (fromJson) return [fromJson];
  return load(text, maxDepth)
    .filter(({ value }) => value !== null)
    .map(({ value, repeated }) => ({ value, duplicateFields: [], ...problemsOf(repeated) }));
}

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
  // Text that does not end like JSON is not JSON, so it is not parsed twice.
  const last = text.trimEnd().at(-1);
  if (last !== '}' && last !== ']') return undefined;
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function load(text: string, maxDepth: number): ParsedDocument[] {
  try {
    return parseStream(text, maxDepth);
  } catch (error) {
    throw error instanceof YamlProblem ? unreadable(error) : error;
  }
}

/** Go's parser counts the lines of its own problems from 0, and leaves the first one out; its scanner counts from 1. */
function unreadable({ line, message }: YamlProblem): StatusError {
  const counted = message.startsWith('did not find expected') ? line - 1 : line;
  const where = counted > 0 ? `line ${counted}: ` : '';
  return badRequest(`error converting YAML to JSON: yaml: ${where}${message}`);
}

function problemsOf(repeated: ParsedDocument['repeated']): { problems?: string[] } {
  if (repeated.length === 0) return {};
  const lines = repeated.map(({ key, line }) => `  line ${line}: key ${JSON.stringify(key)} already set in map`);
  return { problems: [`yaml: unmarshal errors:\n${lines.join('\n')}`] };
}
