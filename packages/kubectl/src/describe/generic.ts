import { formatTemplateValue } from '@coracle/apimachinery';
import { type Fields, isRecord, recordAt, stringMapAt, textAt } from '../values.js';
import { type Describer, writeEvents } from './tools.js';
import { type DescribeWriter, writeAnnotations, writeLabels } from './writer.js';

/** Fields of the metadata that are shown above, or are irrelevant for users. */
const hiddenFields = new Set(['name', 'namespace', 'labels', 'annotations', 'managedFields', 'selfLink']);

/** Any object: all fields, with their names as words. */
export const describeGeneric: Describer = async (object, w, tools) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
  const metadata = Object.fromEntries(
    Object.entries(recordAt(object, 'metadata')).filter(([key]) => !hiddenFields.has(key)),
  );
  writeFields(w, { ...object, metadata }, 0);
  await writeEvents(w, object, tools);
};

function writeFields(w: DescribeWriter, fields: Fields, level: number): void {
  for (const key of Object.keys(fields).sort()) {
    const value = fields[key];
    if (isRecord(value)) {
      w.write(level, `${wordsOf(key)}:`);
      writeFields(w, value, level + 1);
    } else if (Array.isArray(value)) {
      w.write(level, `${wordsOf(key)}:`);
      writeItems(w, value, level + 1);
    } else w.write(level, `${wordsOf(key)}:\t${scalarText(value)}`);
  }
}

function writeItems(w: DescribeWriter, items: readonly unknown[], level: number): void {
  for (const item of items) {
    if (isRecord(item)) writeFields(w, item, level);
    else if (Array.isArray(item)) writeItems(w, item, level + 1);
    else w.write(level, scalarText(item));
  }
}

function scalarText(value: unknown): string {
  return value === null || value === undefined ? '<nil>' : formatTemplateValue(value);
}

const acronyms: Readonly<Record<string, string>> = { Api: 'API', Url: 'URL', Uid: 'UID', Osb: 'OSB', Guid: 'GUID' };

/** `creationTimestamp` as `Creation Timestamp`; a name with other signs than letters and hyphens stays as it is. */
function wordsOf(name: string): string {
  if (!/^[\p{L}-]+$/u.test(name)) return name;
  return (name.match(/-+|[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^a-zA-Z-]+/g) ?? [])
    .map((word) => {
      const title = word.charAt(0).toUpperCase() + word.slice(1);
      return acronyms[title] ?? title;
    })
    .join(' ');
}
