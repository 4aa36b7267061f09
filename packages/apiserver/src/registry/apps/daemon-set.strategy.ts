import { type DaemonSet, templateGenerationAnnotation } from '@coracle/api';
import { deepEqual } from '@coracle/base';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy } from '../strategy.js';

/** Counts the changes of its template in an annotation, which older clients read. */
export const daemonSetStrategy: Strategy<DaemonSet> = templateStrategy(
  { group: 'apps', version: 'v1', kind: 'DaemonSet' },
  ({ spec }) => spec?.template,
  {
    prepareForCreate(daemonSet) {
      setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet)));
    },

    prepareForUpdate(daemonSet, previous) {
      const changed = !deepEqual(daemonSet.spec?.template, previous.spec?.template);
      setTemplateGeneration(daemonSet, templateGeneration(previous) + (changed ? 1 : 0));
    },
  },
);

function templateGeneration({ metadata }: DaemonSet): number {
  return Number.parseInt(metadata.annotations?.[templateGenerationAnnotation] ?? '', 10) || 0;
}

function setTemplateGeneration({ metadata }: DaemonSet, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [templateGenerationAnnotation]: String(generation) };
}
