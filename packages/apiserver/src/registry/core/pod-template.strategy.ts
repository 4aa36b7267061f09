import { type PodTemplateSpec, schemaOfKind } from '@coracle/api';
import type { GroupVersionKind, KubeObject } from '@coracle/apimachinery';
import { nullEmptyLists } from '../null-empty-lists.js';
import { clearStatus } from '../status-field.js';
import type { Strategy } from '../strategy.js';
import { dropDisabledPodFields } from './disabled-pod-fields.js';

/** The list of a pod spec that is serialized even if it is empty. */
export const nullEmptyPodLists = nullEmptyLists('volumes.projected.sources');

/** The common strategy of objects with a pod template; `own` has the differences. */
export function templateStrategy<T extends KubeObject & { status?: unknown }>(
  kind: GroupVersionKind,
  templateOf: (object: T) => PodTemplateSpec | undefined,
  own: Strategy<T> = {},
): Strategy<T> {
  return {
    hasGeneration: true,
    ...own,

    prepareForCreate(object, context) {
      const schema = schemaOfKind(kind);
      if (schema?.fields.has('status')) clearStatus(object, schema);
      dropDisabledPodFields(templateOf(object)?.spec, context.features);
      own.prepareForCreate?.(object, context);
    },

    prepareForUpdate(object, previous, context) {
      if (previous.status === undefined) delete object.status;
      else object.status = previous.status;
      dropDisabledPodFields(templateOf(object)?.spec, context.features, templateOf(previous)?.spec);
      own.prepareForUpdate?.(object, previous, context);
    },

    canonicalize(object) {
      const spec = templateOf(object)?.spec;
      if (spec) nullEmptyPodLists(spec);
      own.canonicalize?.(object);
    },
  };
}
