import { parseLabelSelector } from '@coracle/apimachinery';
import { type Fields, stringMapAt, textAt } from '../values.js';
import { groupVersionOf, type KustomizeResource, kindOf, nameOf, namespaceOf } from './resource.js';

/** Whether a selector of a patch or a replacement picks a resource. Names are patterns that must fit whole. */
export function selects(selector: Fields, resource: KustomizeResource): boolean {
  const { group, version } = groupVersionOf(resource.object);
  const fits = (pattern: string, ...values: readonly string[]) =>
    pattern === '' || values.some((value) => new RegExp(`^(?:${pattern})$`).test(value));
  if (!fits(textAt(selector, 'group'), group) || !fits(textAt(selector, 'version'), version)) return false;
  if (!fits(textAt(selector, 'kind'), kindOf(resource.object))) return false;
  if (!fits(textAt(selector, 'name'), nameOf(resource.object), ...resource.names.map(({ name }) => name))) return false;
  if (
    !fits(
      textAt(selector, 'namespace'),
      namespaceOf(resource.object),
      ...resource.names.map(({ namespace }) => namespace),
    )
  )
    return false;
  const labels = textAt(selector, 'labelSelector');
  if (labels !== '' && !parseLabelSelector(labels).matches(stringMapAt(resource.object, 'metadata', 'labels')))
    return false;
  const annotations = textAt(selector, 'annotationSelector');
  return (
    annotations === '' ||
    parseLabelSelector(annotations).matches(stringMapAt(resource.object, 'metadata', 'annotations'))
  );
}
