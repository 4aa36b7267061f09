import { CelDuration, type CelValue, EvaluationFailure, type FromJson, parseTimestamp } from '@coracle/apimachinery';
import { textFromJson } from './cel-values.js';
import { parseWordedDuration } from './worded-duration.js';

/** Parses text with a format. An invalid one fails when an expression reads it. */
function reader(read: (text: string) => CelValue | undefined, problem: (text: string) => string): FromJson {
  return (json) => {
    const text = textFromJson(json) as string;
    const value = read(text);
    if (value === undefined) throw new EvaluationFailure(problem(text));
    return value;
  };
}

export const timeFromText: FromJson = reader(parseTimestamp, (text) => `Invalid date-time formatted string ${text}`);

export const dateFromText: FromJson = reader(
  (text) => parseTimestamp(`${text}T00:00:00Z`),
  (text) => `Invalid date formatted string ${text}`,
);

export const durationFromText: FromJson = reader(
  (text) => {
    const nanos = parseWordedDuration(text);
    return nanos === undefined ? undefined : new CelDuration(nanos);
  },
  (text) => `Invalid duration ${text}`,
);

/** Base64 with the letters for URLs, as upstream reads it. */
export const bytesFromText: FromJson = reader(
  (text) => {
    if (text.length % 4 !== 0 || !/^[\w-]*={0,2}$/.test(text)) return undefined;
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(binary, (char) => char.charCodeAt(0));
  },
  (text) => `Invalid byte formatted string ${text}: illegal base64 data at input byte ${firstWrong(text)}`,
);

function firstWrong(text: string): number {
  const at = text.search(/[^\w-]/);
  return at < 0 ? text.length - (text.length % 4) : at;
}
