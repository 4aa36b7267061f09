import type { FieldPath } from '@coracle/apimachinery';
import type { Container, PodSpec } from '../../generated/types/core-v1.js';

export interface VisitedContainer {
  readonly container: Container;
  readonly path: FieldPath;
}

/** Every container of a pod, with its path: init containers, then containers, then ephemeral ones. */
export function visitContainers(specPath: FieldPath, spec: PodSpec): VisitedContainer[] {
  const visited: VisitedContainer[] = [];
  for (const list of containerLists) {
    const path = specPath.child(list);
    spec[list]?.forEach((container, index) => void visited.push({ container, path: path.index(index) }));
  }
  return visited;
}

const containerLists = ['initContainers', 'containers', 'ephemeralContainers'] as const;
