import { type PodTemplateSpec, schemaOfKind } from '@coracle/api';
import type { GroupVersionKind, KubeObject } from '@coracle/apimachinery';
import { nullEmptyLists } from '../null-empty-lists.js';
import { clearStatus } from '../status-field.js';
import type { Strategy } from '../strategy.js';
import { dropDisabledPodFields } from './disabled-pod-fields.js';

/** The list of a pod spec that is written even when it is empty, and valid then. */
export const nullEmptyPodLists = nullEmptyLists('volumes.projected.sources');

/** What objects with a pod template have in common; `own` is what one of them does besides. */
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
