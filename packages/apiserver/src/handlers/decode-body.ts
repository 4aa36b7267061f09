import { schemaOfKind } from '@coracle/api';
import {
  apiVersionOf,
  badRequest,
  type DecodedObject,
  type DecodeOptions,
  decimalLiterals,
  decodeKind,
  decodeObject,
  decodeOwnedObject,
  decodingWarnings,
  type GroupVersionKind,
  invalid,
  invalidField,
  type KubeObject,
  maxRequestBytes,
  type ObjectSchema,
  type ParsedJson,
  parseDecodedJson,
  parseJson,
  parseYamlDocuments,
  protobufMediaType,
  type RequestBody,
  requestEntityTooLarge,
  StatusError,
  strictDecodingError,
  unsupportedMediaType,
} from '@coracle/apimachinery';
import { isRecord, ownValue } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';
import { kindProblem, noKind } from '../kind-problem.js';
import { mediaType } from '../negotiation/media-type.js';
import type { FieldValidation } from '../registry/write-request.js';
import type { ServedResource } from '../served-resource.js';
import { decodePatched, type PatchedObject } from './decode-patched.js';
import { addWarning } from './operation.js';

const textTypes = ['application/json', 'application/yaml'];

/** A body that has been parsed. */
export interface ParsedBody extends ParsedJson {
  /** The value is shared: it must be copied before it is changed. */
  readonly isShared?: boolean;
  /** The object that the value was computed from, in canonical form. Implies `isShared`. */
  readonly base?: KubeObject;
  /** How fields that the value shares with `base` are taken over; copied unless set. */
  readonly takeOver?: PatchedObject['takeOver'];
  /** Whether it was sent as YAML, in which `1.0` is an integer. The text may still be JSON. */
  readonly isYaml?: boolean;
  /** Further problems for strict field validation. */
  readonly problems?: readonly string[];
}

/** The expected content of the body. */
export interface Expected extends GroupVersionKind {
  readonly schema: ObjectSchema;
  /** Other versions that are decoded as if they were this one. */
  readonly alsoRead?: readonly string[];
}

const expectations = new WeakMap<ServedResource, Expected>();

/** The expected body of a request to a resource. */
export function expectedOf(resource: ServedResource): Expected {
  let expected = expectations.get(resource);
  if (!expected) {
    const { group, version, kind } = resource.info;
    expected = { group, version, kind, schema: resource.schema };
    expectations.set(resource, expected);
  }
  return expected;
}

/**
 * The object in the body, in canonical form and without defaults. Unknown and duplicate fields are reported as the
 * `fieldValidation` of the request states.
 */
export function decodeBody(context: RequestContext, expected: Expected, validation: FieldValidation): KubeObject {
  return decodeParsed(context, { parsed: parseObject(context, expected), expected, validation }).object;
}

export interface DecodedBody {
  readonly object: KubeObject;
  /**
   * Set if it has no unknown or duplicate field, and no empty one where empty differs from absent: the object is
   * complete.
   */
  readonly isPlain: boolean;
}

export interface ValueToDecode {
  readonly parsed: ParsedBody;
  readonly expected: Expected;
  readonly validation: FieldValidation;
  /** Creates the error for an object that cannot be decoded. */
  readonly refuse?: (why: string) => StatusError;
  /** How to decode a merged value that was never serialized; see `DecodeOptions`. */
  readonly wrapsIntegers?: boolean;
}

/** The same for a value that is already parsed, such as the result of a patch. */
export function decodeValue(context: RequestContext, options: ValueToDecode): KubeObject {
  return decodeParsed(context, options).object;
}

export function decodeParsed(context: RequestContext, options: ValueToDecode): DecodedBody {
  const { parsed, expected, validation, refuse = cannotBeHandled(expected), wrapsIntegers } = options;
  const { kind } = expected;
  const apiVersion = apiVersionOf(expected);
  const complete = withKind(parsed.value, expected);
  const literals = literalsOf(parsed, expected);
  const typing = { schema: expected.schema, wrapsIntegers, literals };
  const decoded = explained(refuse, () => decodeTyped(complete, parsed, typing));
  if (decoded.holdsEmpty) context.holdsEmpty = true;
  // Custom resources are decoded as a whole; unknown fields are searched for afterwards.
  const isCustom = schemaOfKind(expected) === undefined;
  const unknownFields = isCustom ? [...decoded.unknownFields].sort() : decoded.unknownFields;
  if (validation !== 'Ignore') {
    const { duplicateFields, problems, text } = parsed;
    const strictErrors = { unknownFields, duplicateFields, problems, text: isCustom ? undefined : text };
    const problem = validation === 'Strict' ? strictDecodingError(strictErrors) : undefined;
    if (problem !== undefined) throw refuse(problem);
    for (const warning of decodingWarnings(strictErrors)) addWarning(context, warning);
  }
  const { object } = decoded;
  object.kind = kind;
  object.apiVersion = apiVersion;
  object.metadata ??= {};
  const errorCount = unknownFields.length + parsed.duplicateFields.length + (parsed.problems?.length ?? 0);
  return { object, isPlain: errorCount === 0 && !decoded.holdsEmpty };
}

interface Typing extends Pick<DecodeOptions, 'literals'> {
  readonly schema: ObjectSchema;
  readonly wrapsIntegers: boolean | undefined;
}

function decodeTyped(
  value: unknown,
  { base, takeOver, isShared }: ParsedBody,
  { schema, wrapsIntegers = false, literals }: Typing,
): DecodedObject<KubeObject> {
  const options: DecodeOptions = { keepsEmptyInLists: true, wrapsIntegers, literals };
  if (base) return decodePatched(value, { base, takeOver, schema, options });
  const decode = isShared ? decodeObject : decodeOwnedObject;
  return decode<KubeObject>(value, schema, options);
}

/** Custom resources are decoded without types: a number is an integer if its value is one. */
function literalsOf({ text, isYaml }: ParsedBody, expected: Expected): DecodeOptions['literals'] {
  return text === undefined || isYaml || !schemaOfKind(expected) ? undefined : decimalLiterals(text);
}

/** Checks that the body matches the URL; a body may omit its kind. */
function withKind(value: unknown, expected: Expected): unknown {
  if (!isRecord(value)) return value;
  const apiVersion = apiVersionOf(expected);
  const { kind: statedKind, apiVersion: statedVersion } = value;
  if (typeof statedKind === 'string' && statedKind !== '' && statedKind !== expected.kind) {
    if (!schemaOfKind(expected)) throw otherCustomKind(statedKind, value, expected);
    throw badRequest(
      `${statedKind} in version ${JSON.stringify(versionIn(statedVersion, expected.version))} cannot be handled as a ${expected.kind}: no kind ${JSON.stringify(statedKind)} is registered for version ${JSON.stringify(apiVersion)}`,
    );
  }
  if (typeof statedVersion === 'string' && expected.alsoRead?.includes(statedVersion)) return { ...value, apiVersion };
  const isUnstated = statedVersion === '' && schemaOfKind(expected) !== undefined;
  if (typeof statedVersion === 'string' && !isUnstated && statedVersion !== apiVersion) {
    throw badRequest(
      `the API version in the data (${statedVersion}) does not match the expected API version (${apiVersion})`,
    );
  }
  return value;
}

/** Any object can be read as a custom resource, so its kind is checked by validation. */
function otherCustomKind(
  kind: string,
  { metadata }: Readonly<Record<string, unknown>>,
  expected: Expected,
): StatusError {
  const name = isRecord(metadata) && typeof metadata['name'] === 'string' ? metadata['name'] : '';
  const error = invalidField('kind', kind, `must be ${expected.kind}`);
  return invalid({ group: expected.group, kind }, name, [error]);
}

function versionIn(stated: unknown, otherwise: string): string {
  return typeof stated === 'string' && stated !== '' ? (stated.split('/').at(-1) as string) : otherwise;
}

function cannotBeHandled({ kind, version }: Expected): (why: string) => StatusError {
  return (why) => badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

function explained<T>(refuse: (why: string) => StatusError, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw StatusError.is(error) ? refuse(error.message) : error;
  }
}

/** An empty body is not JSON, and JSON `null` is an object without fields. `text` is the body's text, if available. */
export function parseObject(context: RequestContext, expected: Expected, text?: string): ParsedBody {
  const { kind } = expected;
  const types = typesOf(expected);
  const { body, headers } = context.request;
  if (body?.kind === 'value') return sharedBody(body.value);
  const bytes = body?.bytes ?? new Uint8Array();
  checkBodySize({ kind: 'bytes', bytes });
  const read = readerOf(headers['content-type'], types);
  const unrecognized = (why: string) =>
    badRequest(`the object provided is unrecognized (must be of type ${kind}): ${why} (${summary(bytes)})`);
  const parsed = explained(
    (why) => unrecognized(read === readers['application/json'] ? noKind + why : why),
    () => (text === undefined ? read(bytes, types) : parseDecodedJson(text)),
  );
  if (parsed.value === null) return { ...parsed, value: {} };
  const problem = kindProblem(parsed.value);
  if (problem !== undefined) throw unrecognized(noKind + problem);
  const missing = schemaOfKind(expected) ? undefined : missingWord(parsed.value, bytes);
  if (missing !== undefined) throw unrecognized(missing);
  return parsed;
}

/** Only bodies of custom resources include their kind. */
function missingWord(value: unknown, bytes: Uint8Array): string | undefined {
  if (isRecord(value) && value['kind']) return undefined;
  return `Object 'Kind' is missing in '${new TextDecoder().decode(bytes)}'`;
}

/** The body, if it is JSON; empty if there is none. */
export function jsonBytes({ request: { body, headers } }: RequestContext): Uint8Array | undefined {
  if (mediaType(headers['content-type']) !== 'application/json') return undefined;
  if (body === undefined) return new Uint8Array();
  if (body.kind !== 'bytes') return undefined;
  checkBodySize(body);
  return body.bytes;
}

const longestSummary = 30;

/** The beginning of the body: as text if it might be an object, otherwise as hexadecimal digits. */
function summary(bytes: Uint8Array): string {
  if (bytes.length === 0) return '<empty>';
  const head = bytes.subarray(0, longestSummary);
  const text =
    head[0] === 0x7b
      ? new TextDecoder().decode(head)
      : Array.from(head, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return bytes.length > longestSummary ? `${text} ...` : text;
}

/** The value of the body, in whatever format. */
export function parseBody({ request }: RequestContext, types: MessageTypes): ParsedBody {
  const { body } = request;
  if (!body) return { value: {}, duplicateFields: [] };
  if (body.kind === 'value') return sharedBody(body.value);
  checkBodySize(body);
  return readerOf(request.headers['content-type'], types)(body.bytes, types);
}

function sharedBody(value: unknown): ParsedBody {
  return { value, duplicateFields: [], isShared: true };
}

/** The protobuf messages that a body may contain. */
export interface MessageTypes {
  schemaOf(kind: GroupVersionKind): ObjectSchema | undefined;
  /** The kind of a message without type information. */
  readonly otherwise: GroupVersionKind;
}

/** Custom resources have no protobuf messages. */
function typesOf(expected: Expected): MessageTypes | undefined {
  return schemaOfKind(expected) && { schemaOf: schemaOfKind, otherwise: expected };
}

type BodyReader = (bytes: Uint8Array, types: MessageTypes | undefined) => ParsedBody;

function readerOf(contentType: string | undefined, types: MessageTypes | undefined): BodyReader {
  const type = mediaType(contentType);
  const read = types || type !== protobufMediaType ? ownValue(readers, type) : undefined;
  if (!read) throw unsupportedMediaType(type === protobufMediaType ? textTypes : [...textTypes, protobufMediaType]);
  return read;
}

/** Media type → how to read it. */
const readers: Readonly<Record<string, BodyReader>> = {
  'application/json': (bytes) => parseJson(bytes),
  'application/yaml': readYaml,
  [protobufMediaType]: (bytes, types) => ({
    value: types ? decodeKind(bytes, types.schemaOf, types.otherwise) : {},
    duplicateFields: [],
  }),
};

/** JSON is also YAML, and faster to parse. */
function readYaml(bytes: Uint8Array): ParsedBody {
  const documents = parseYamlDocuments(bytes);
  const [first] = documents;
  return first ? { ...first, isYaml: true } : { value: {}, duplicateFields: [] };
}

export function checkBodySize(body: RequestBody): void {
  if (body.kind !== 'bytes' || body.bytes.length <= maxRequestBytes) return;
  throw requestEntityTooLarge(`Request entity too large: limit is ${maxRequestBytes}`);
}
