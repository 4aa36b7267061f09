import { refs } from '@coracle/api';
import { type KubeObject, LabelSelector, type LabelSelectorObject, notFound } from '@coracle/apimachinery';
import { andThen, type MaybePromise } from '@coracle/base';
import type { ObjectReader } from '../../object-reader.js';
import type { AdmissionAttributes } from '../admission.js';

/** Matches namespaces and objects against the selectors of a webhook or a policy. */
export interface Selectors {
  readonly namespaces: LabelSelector | undefined;
  readonly objects: LabelSelector | undefined;
}

export function selectorsOf({
  namespaceSelector,
  objectSelector,
}: {
  readonly namespaceSelector?: LabelSelectorObject;
  readonly objectSelector?: LabelSelectorObject;
}): Selectors {
  return { namespaces: restricting(namespaceSelector), objects: restricting(objectSelector) };
}

/** Most selectors select everything, and need not be evaluated. */
function restricting(selector: LabelSelectorObject | undefined): LabelSelector | undefined {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  if (Object.keys(matchLabels).length + matchExpressions.length === 0) return undefined;
  return LabelSelector.fromObject(selector);
}

/** Matches if the new or the old object has such labels. */
export function matchesObject({ objects }: Selectors, { object, oldObject }: AdmissionAttributes): boolean {
  if (!objects) return true;
  return [object, oldObject].some((one) => one?.metadata !== undefined && objects.matches(one.metadata.labels));
}

/** Cluster-scoped objects match every namespace selector. A Namespace is matched by its own labels. */
export function matchesNamespace(
  { namespaces }: Selectors,
  attributes: AdmissionAttributes,
  objects: ObjectReader,
): MaybePromise<boolean> {
  if (!namespaces) return true;
  const found = namespaceOf(attributes, objects);
  return andThen(found, (namespace) => !namespace || namespaces.matches(namespace.metadata.labels));
}

/** The namespace of a request; `undefined` for cluster-scoped objects. */
export function namespaceOf(
  { kind, namespace, subresource, operation, object }: AdmissionAttributes,
  objects: ObjectReader,
): MaybePromise<KubeObject | undefined> {
  if (namespace === '') return undefined;
  const isNamespace = kind.group === '' && kind.kind === 'Namespace';
  if (isNamespace && subresource === '' && operation !== 'DELETE') return object;
  const cachedNamespace = objects.get(refs.namespaces, '', namespace);
  if (cachedNamespace) return cachedNamespace;
  return objects.getFresh(refs.namespaces, '', namespace).then((fresh) => {
    if (!fresh) throw notFound({ group: '', resource: 'namespaces' }, namespace);
    return fresh;
  });
}
