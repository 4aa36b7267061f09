import { type Fields, goJson, recordAt, sortKeys, stringMapAt } from '../values.js';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The configuration in its stored form: the whole object without an older last-applied annotation. */
function lastAppliedText(object: Fields): string {
  const { [lastAppliedAnnotation]: _, ...annotations } = stringMapAt(object, 'metadata', 'annotations');
  const copy = object;
  return `${goJson(sortKeys({ ...copy, metadata: { ...recordAt(object, 'metadata'), annotations } }))}\n`;
}

/** The object with the last-applied annotation. */
export function withLastApplied(object: Fields): Fields {
  const metadata = recordAt(object, 'metadata');
  const annotations = { ...stringMapAt(metadata, 'annotations'), [lastAppliedAnnotation]: lastAppliedText(object) };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** The last applied configuration; `undefined` if there is none. */
export function lastAppliedOf(object: Fields): string | undefined {
  return stringMapAt(object, 'metadata', 'annotations')[lastAppliedAnnotation];
}
