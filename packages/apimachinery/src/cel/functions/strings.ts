import { type Environment, EvaluationError } from '@marcbachmann/cel-js';
import { type GoRegexp, GoRegexpError, goRegexp } from '../../go-regexp.js';
import { formatText } from './format-text.js';

/** Regular expressions and the string functions that the library does not bring. */
export function registerStrings(environment: Environment): void {
  class Strings {}
  environment
    .registerType('StringsNamespace', Strings)
    .registerConstant('strings', 'StringsNamespace', new Strings())
    .registerFunction('StringsNamespace.quote(string): string', (_: Strings, text: string) => JSON.stringify(text))
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => regex(pattern).find(text, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
      findAll(text, pattern, -1),
    )
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, limit: bigint) =>
      findAll(text, pattern, Number(limit)),
    )
    .registerFunction('string.charAt(int): string', charAt)
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.replaceAll(from, () => to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, limit: bigint) => replaceSome(text, { from, to, limit: Number(limit) }),
    )
    .registerFunction('string.reverse(): string', (text: string) => [...text].reverse().join(''))
    .registerFunction('string.format(list): string', (text: string, values: unknown[]) => formatText(text, values));
}

export function regex(pattern: string): GoRegexp {
  try {
    return goRegexp(pattern);
  } catch (error) {
    throw error instanceof GoRegexpError ? new EvaluationError(`Illegal regex: ${error.message}`) : error;
  }
}

function findAll(text: string, pattern: string, limit: number): string[] {
  return regex(pattern).find(text, limit < 0 ? Number.POSITIVE_INFINITY : limit);
}

function charAt(text: string, index: bigint): string {
  const characters = [...text];
  if (index < 0n || index > BigInt(characters.length)) throw new EvaluationError(`index out of range: ${index}`);
  return characters[Number(index)] ?? '';
}

function replaceSome(text: string, { from, to, limit }: { from: string; to: string; limit: number }): string {
  let left = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  return text.replaceAll(from, (match) => (left-- > 0 ? to : match));
}
