import {
  formatTemplateValue,
  GoTemplate,
  JsonPath,
  JsonPathError,
  TemplateError,
  writeJson,
} from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { isRecord, sortKeys } from '../values.js';
import type { ObjectPrinter, Printable } from './object-printer.js';

export interface TemplateOptions {
  readonly allowMissing: boolean;
}

/** `-o jsonpath`: the template with values in place of its paths. */
export function jsonPathPrinter(template: string, { allowMissing }: TemplateOptions, asJson = false): ObjectPrinter {
  const path = parseJsonPath(template, allowMissing);
  return {
    print: (object) => {
      try {
        const data = sortKeys(object);
        return asJson ? `${writeJson(path.find(data), 4)}\n` : path.format(data);
      } catch (error) {
        if (!(error instanceof JsonPathError)) throw error;
        throw new CommandError(jsonPathFailure(template, error.message, object));
      }
    },
  };
}

function parseJsonPath(template: string, allowMissing: boolean): JsonPath {
  try {
    return new JsonPath(template, { allowMissing, indexesMustExist: true });
  } catch (error) {
    throw new CommandError(`error parsing jsonpath ${template}, ${(error as Error).message}`);
  }
}

function jsonPathFailure(template: string, message: string, object: Printable): string {
  return [
    `error executing jsonpath ${JSON.stringify(template)}: Error executing template: ${message}. Printing more information for debugging the template:`,
    '\ttemplate was:',
    `\t\t${template}`,
    '\tobject given to jsonpath engine was:',
    `\t\t${goSyntax(object)}\n\n`,
  ].join('\n');
}

/** A value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value).replace(/\\u00([01][0-9a-f]|7f)/g, '\\x$1');
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value !== 'object') return String(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[string]interface {}{${entries.map(([key, one]) => `${goSyntax(key)}:${goSyntax(one)}`).join(', ')}}`;
}

/** `-o go-template`: Go's template language. */
export function goTemplatePrinter(
  template: string,
  { allowMissing }: TemplateOptions,
  debug: (text: string) => void,
): ObjectPrinter {
  const parsed = parseGoTemplate(template);
  return {
    print: (object) => {
      try {
        return parsed.execute(withIntegers(object), { strict: !allowMissing });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        debug(goTemplateFailure(template, error.message, object));
        throw new CommandError(`error executing template ${JSON.stringify(template)}: ${error.message}`);
      }
    },
  };
}

/** Whole numbers of objects are integers to a template, which has those as bigints. */
function withIntegers(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(withIntegers);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, withIntegers(field)]));
}

function parseGoTemplate(template: string): GoTemplate {
  try {
    return new GoTemplate(template);
  } catch (error) {
    throw new CommandError(`error parsing template ${template}, ${(error as Error).message}`);
  }
}

function goTemplateFailure(template: string, message: string, object: Printable): string {
  return [
    `Error executing template: ${message}. Printing more information for debugging the template:`,
    '\ttemplate was:',
    `\t\t${template}`,
    '\traw data was:',
    `\t\t${writeJson(sortKeys(object))}`,
    '\tobject given to template engine was:',
    `\t\t${formatTemplateValue(object)}\n\n`,
  ].join('\n');
}
