import type { ContainerFilter } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';

/** Whether a container is among those that are requested. */
export function matches(
  container: SimulatedContainer,
  { id, state, podSandboxId, labelSelector }: ContainerFilter,
): boolean {
  return (
    (!id || container.id === id) &&
    (!podSandboxId || container.sandboxId === podSandboxId) &&
    (state?.state === undefined || container.status.state === state.state) &&
    hasLabels(container.status.labels, labelSelector)
  );
}

export function hasLabels(
  labels: Readonly<Record<string, string>> = {},
  selector: Readonly<Record<string, string>> = {},
) {
  return Object.entries(selector).every(([name, value]) => labels[name] === value);
}
