import { type Fields, goJson, recordAt, sortKeys, stringMapAt } from '../values.js';

export const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration';

/** The configuration as it is remembered: all of the object, without an older memory of it. */
function lastAppliedText(object: Fields): string {
  const { [lastAppliedAnnotation]: _, ...annotations } = stringMapAt(object, 'metadata', 'annotations');
  const copy = object;
  return `${goJson(sortKeys({ ...copy, metadata: { ...recordAt(object, 'metadata'), annotations } }))}\n`;
}

/** The object with its configuration remembered in its annotation. */
export function withLastApplied(object: Fields): Fields {
  const metadata = recordAt(object, 'metadata');
  const annotations = { ...stringMapAt(metadata, 'annotations'), [lastAppliedAnnotation]: lastAppliedText(object) };
  return { ...object, metadata: { ...metadata, annotations } };
}

/** What was applied last, or `undefined` if it is not remembered. */
export function lastAppliedOf(object: Fields): string | undefined {
  return stringMapAt(object, 'metadata', 'annotations')[lastAppliedAnnotation];
}
