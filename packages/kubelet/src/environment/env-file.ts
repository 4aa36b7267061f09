import { ConfigError } from '../config-error.js';

/**
 * Parses an env file: shell declarations of the form `NAME='value'`, blank lines and comments. The value is all text
 * between the quotes, including line breaks. Throws a `ConfigError` for anything else.
 */
export function parseEnvFile(text: string): Map<string, string> {
  const variables = new Map<string, string>();
  let at = 0;
  while (at < text.length) {
    const end = lineEnd(text, at);
    const line = text.slice(at, end).trim();
    at = line === '' || line.startsWith('#') ? end + 1 : declaration(text, at, variables);
  }
  return variables;
}

/** Adds the variable declared at this position, and returns the start of the next line. */
function declaration(text: string, from: number, into: Map<string, string>): number {
  const equals = text.indexOf('=', from);
  const opening = text.indexOf("'", from);
  const closing = text.indexOf("'", opening + 1);
  const isComplete = from < equals && equals < opening && opening < closing;
  const name = isComplete ? text.slice(from, equals).trim() : '';
  const end = lineEnd(text, closing);
  const between = text.slice(equals + 1, opening) + text.slice(closing + 1, end);
  if (name === '' || name.includes('\n') || between.includes('\n') || between.trim() !== '')
    throw new ConfigError("couldn't parse env file");
  into.set(name, text.slice(opening + 1, closing));
  return end + 1;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end;
}
