import { type DaemonSet, schemaOfKind, templateGenerationAnnotation } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { clearStatus } from '../status-field.js';
import type { Strategy } from '../strategy.js';

/** Counts the changes of its template in an annotation, which older clients look at. */
export const daemonSetStrategy: Strategy<DaemonSet> = {
  hasGeneration: true,

  prepareForCreate(daemonSet) {
    const schema = schemaOfKind({ group: 'apps', version: 'v1', kind: 'DaemonSet' });
    if (schema) clearStatus(daemonSet, schema);
    setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet)));
  },

  prepareForUpdate(daemonSet, previous) {
    if (previous.status) daemonSet.status = previous.status;
    const changed = !deepEqual(daemonSet.spec?.template, previous.spec?.template);
    setTemplateGeneration(daemonSet, templateGeneration(previous) + (changed ? 1 : 0));
  },
};

function templateGeneration({ metadata }: DaemonSet): number {
  return Number.parseInt(metadata.annotations?.[templateGenerationAnnotation] ?? '', 10) || 0;
}

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}
