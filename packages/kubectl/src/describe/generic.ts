import { type Fields, isRecord, recordAt, stringMapAt, textAt } from '../values.js';
import { type Describer, writeEvents } from './tools.js';
import { type DescribeWriter, writeAnnotations, writeLabels } from './writer.js';

/** Fields of the metadata that the head has shown, or that say nothing to people. */
const hiddenFields = new Set(['name', 'namespace', 'labels', 'annotations', 'managedFields', 'selfLink']);

/** Any object: its fields as they are, with their names in words. */
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
  const keys = Object.keys(fields).sort((a, b) => (wordsOf(a) < wordsOf(b) ? -1 : wordsOf(a) > wordsOf(b) ? 1 : 0));
  for (const key of keys) {
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
  return value === null || value === undefined ? '<nil>' : String(value);
}

const acronyms: Readonly<Record<string, string>> = { Api: 'API', Url: 'URL', Uid: 'UID', Osb: 'OSB', Guid: 'GUID' };

/** `creationTimestamp` as `Creation Timestamp`; a name with a dot or a slash stays as it is. */
function wordsOf(name: string): string {
  if (name === '' || /[./]/.test(name)) return name;
  // A name in which a letter is followed by digits and capitals is a name of its own.
  if (/[a-z][A-Z]{2,}|[A-Z]\d/.test(name) && /^[a-z]+[A-Z]{3}V\d/.test(name)) return name;
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2');
  return spaced
    .split(' ')
    .map((word) => {
      const title = word.charAt(0).toUpperCase() + word.slice(1);
      return acronyms[title] ?? title;
    })
    .join(' ');
}
