import { type Fields, stringMapAt, textAt } from '../values.js';

/** Lines with tabs between what will be columns; a level is two blanks. */
export class DescribeWriter {
  #text = '';

  write(level: number, line: string): void {
    this.#text += `${'  '.repeat(level)}${line}\n`;
  }

  /** A label and its value; empty if there is no value. */
  optional(level: number, label: string, value: string): void {
    if (value !== '') this.write(level, `${label}:\t${value}`);
  }

  raw(text: string): void {
    this.#text += text;
  }

  get text(): string {
    return this.#text;
  }
}

export const none = '<none>';
export const unset = '<unset>';

export function orNone(text: string): string {
  return text === '' ? none : text;
}

/** Name, namespace, labels and annotations, as most descriptions begin. */
export function writeHead(w: DescribeWriter, object: Fields, options: { readonly namespaced?: boolean } = {}): void {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  if (options.namespaced !== false) w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
}

/** One label a line. */
export function writeLabels(
  w: DescribeWriter,
  title: string,
  labels: Readonly<Record<string, string>>,
  { indent = '' }: { readonly indent?: string } = {},
): void {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`);
  writeMultiline(w, `${indent}${title}`, pairs);
}

export function writeMultiline(w: DescribeWriter, title: string, lines: readonly string[]): void {
  if (lines.length === 0) w.write(0, `${title}:\t${none}`);
  lines.forEach((line, i) => {
    w.write(0, i === 0 ? `${title}:\t${line}` : `\t${line}`);
  });
}

const hiddenAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';
const longestAnnotation = 140;

/** Long values, and those of several lines, are below their keys and truncated. */
export function writeAnnotations(
  w: DescribeWriter,
  title: string,
  annotations: Readonly<Record<string, string>>,
  { indent = '' }: { readonly indent?: string } = {},
): void {
  const keys = Object.keys(annotations)
    .filter((key) => key !== hiddenAnnotation)
    .sort();
  if (keys.length === 0) w.write(0, `${indent}${title}:\t${none}`);
  keys.forEach((key, i) => {
    const start = i === 0 ? `${indent}${title}:\t` : '\t';
    const value = (annotations[key] ?? '').replace(/\n$/, '');
    if (value.length + key.length + 2 <= longestAnnotation && !value.includes('\n')) {
      w.write(0, `${start}${key}: ${value}`);
      return;
    }
    w.write(0, `${start}${key}:`);
    for (const line of value.split('\n')) w.write(0, `\t  ${shortened(line, longestAnnotation - 2)}`);
  });
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}...` : text;
}

/** `Fri, 02 Jan 2026 03:04:05 +0000`; empty without a time. */
export function formatTimestamp(timestamp: string): string {
  if (timestamp === '') return '';
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return timestamp;
  const [, day = '', dayOfMonth = '', month = '', year = '', time = ''] =
    /^(\w+), (\d+) (\w+) (\d+) ([\d:]+)/.exec(date.toUTCString()) ?? [];
  return `${day}, ${dayOfMonth} ${month} ${year} ${time} +0000`;
}

/** A selector object as text. */
export function formatSelector(selector: Fields): string {
  const labels = Object.entries(stringMapAt(selector, 'matchLabels')).map(([key, value]) => ({
    key,
    text: `${key}=${value}`,
  }));
  const expressions = (
    Array.isArray(selector['matchExpressions']) ? (selector['matchExpressions'] as Fields[]) : []
  ).map((one) => {
    const key = textAt(one, 'key');
    const values = (Array.isArray(one['values']) ? [...(one['values'] as string[])] : []).sort().join(',');
    const text =
      one['operator'] === 'In'
        ? `${key} in (${values})`
        : one['operator'] === 'NotIn'
          ? `${key} notin (${values})`
          : one['operator'] === 'Exists'
            ? key
            : `!${key}`;
    return { key, text };
  });
  return [...labels, ...expressions]
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0))
    .map(({ text }) => text)
    .join(',');
}

/** A map of labels as one line. */
export function formatMap(map: Readonly<Record<string, string>>): string {
  return Object.keys(map)
    .sort()
    .map((key) => `${key}=${map[key]}`)
    .join(',');
}

/** `web/True`: a flag as in Go's title case. */
export function titleBool(value: unknown): string {
  return value === true ? 'True' : 'False';
}
