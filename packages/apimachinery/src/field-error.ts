import type { FieldPath } from './field-path.js';
import { writeJson } from './write-json.js';

/** Types of field errors. The values are the reasons of causes on the wire. */
export type FieldErrorType =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid';

/** One validation error. Errors are collected, never thrown one by one. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  /** Without the field's name: `Invalid value: "A_b": a lowercase RFC 1123 …`. */
  readonly body: string;
  /** Set where the rule applies to some callers only. */
  readonly scope?: ErrorScope;
}

/**
 * The objects that a rule applies to. A caller that ignores it gets upstream's errors for a new object while every
 * gate is at its default.
 */
export interface ErrorScope {
  /**
   * The name of a rule that is younger than objects which break it. An object that broke it before an update may go on
   * to do so.
   */
  readonly newRule?: string;
  /** Holds only while this gate is off. */
  readonly whileOff?: string;
  /** Holds only while this gate is on. */
  readonly whileOn?: string;
}

export function scoped(errors: readonly FieldError[], scope: ErrorScope): FieldError[] {
  return errors.map((error) => ({ ...error, scope }));
}

export type Path = FieldPath | string;

export function requiredField(path: Path, detail = ''): FieldError {
  return fieldError('FieldValueRequired', path, withDetail('Required value', detail));
}

/** Stands for a value that is not shown. */
export const omittedValue: unique symbol = Symbol('omitted value');

export function invalidField(path: Path, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueInvalid', path, withDetail(withValue('Invalid value', value), detail));
}

export function typeInvalidField(path: Path, value: unknown, detail: string): FieldError {
  return fieldError('FieldValueTypeInvalid', path, withDetail(`Invalid value: ${formatValue(value)}`, detail));
}

/** The supported values are listed in the order given. */
export function notSupportedField(path: Path, value: unknown, supported: readonly string[]): FieldError {
  const values = supported.map((one) => JSON.stringify(one));
  const detail = values.length === 0 ? '' : `supported values: ${values.join(', ')}`;
  return fieldError('FieldValueNotSupported', path, withDetail(`Unsupported value: ${formatValue(value)}`, detail));
}

export function duplicateField(path: Path, value: unknown, detail = ''): FieldError {
  return fieldError('FieldValueDuplicate', path, withDetail(withValue('Duplicate value', value), detail));
}

export function forbiddenField(path: Path, detail: string): FieldError {
  return fieldError('FieldValueForbidden', path, withDetail('Forbidden', detail));
}

export function notFoundField(path: Path, value: unknown): FieldError {
  return fieldError('FieldValueNotFound', path, `Not found: ${formatValue(value)}`);
}

/** The value itself may be huge, so it is not repeated. */
export function tooLongField(path: Path, maxLength: number): FieldError {
  const detail = maxLength >= 0 ? `may not be more than ${maxLength} bytes` : 'value is too long';
  return fieldError('FieldValueTooLong', path, `Too long: ${detail}`);
}

export function tooManyField(path: Path, actual: number, maximum: number): FieldError {
  const detail = `must have at most ${maximum} item${maximum === 1 ? '' : 's'}`;
  return fieldError('FieldValueTooMany', path, `Too many: ${actual}: ${detail}`);
}

/** As in messages: `spec.replicas: Invalid value: -1: must be greater than or equal to 0`. */
export function formatFieldError(error: FieldError): string {
  return error.field === '' ? error.body : `${error.field}: ${error.body}`;
}

function fieldError(type: FieldErrorType, path: Path, body: string): FieldError {
  return { type, field: String(path), body };
}

function withValue(text: string, value: unknown): string {
  return value === omittedValue ? text : `${text}: ${formatValue(value)}`;
}

function withDetail(text: string, detail: string): string {
  return detail === '' ? text : `${text}: ${detail}`;
}

function formatValue(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'string') return quoteLikeGo(value);
  // Go's JSON is fit for web pages.
  return writeJson(value).replace(/[<>&]/g, (one) => escapeCode(one, 'u', 4));
}

const notPrintable = /(?! )[\p{C}\p{Z}]/u;
const eachNotPrintable = new RegExp(notPrintable, 'gu');
/** Control characters that Go escapes with a letter. */
export const shortEscapes: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** A string in quotes, with everything escaped that Go does not count as printable. */
export function quoteLikeGo(text: string): string {
  if (!notPrintable.test(text)) return JSON.stringify(text);
  const quoted = text.replace(/["\\]/g, '\\$&').replace(eachNotPrintable, (one) => {
    if (shortEscapes[one]) return shortEscapes[one];
    if (one <= '\u007f') return escapeCode(one, 'x', 2);
    return one.length === 1 ? escapeCode(one, 'u', 4) : escapeCode(one, 'U', 8);
  });
  return `"${quoted}"`;
}

function escapeCode(character: string, letter: string, digits: number): string {
  return `\\${letter}${(character.codePointAt(0) ?? 0).toString(16).padStart(digits, '0')}`;
}
