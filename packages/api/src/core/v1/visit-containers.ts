import type { FieldPath } from '@coracle/apimachinery';
import type { Container, PodSpec } from '../../generated/types/core-v1.js';

export interface VisitedContainer {
  readonly container: Container;
  readonly path: FieldPath;
}

/** Every container of a pod, with where it stands: init containers, then containers, then ephemeral ones. */
export function* visitContainers(specPath: FieldPath, spec: PodSpec): Generator<VisitedContainer> {
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      yield { container, path: specPath.child(list).index(index) };
    }
  }
}
