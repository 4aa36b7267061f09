import { type Clock, type Metrics, monotonicNow } from '@coracle/base';

interface Measuring {
  readonly metrics: Metrics;
  readonly clock: Clock;
}

const buckets = Array.from({ length: 14 }, (_, power) => 0.005 * 2.5 ** power);

/** A service of the runtime whose calls are counted and timed under upstream's names. Streams are not. */
export function measuredService<Service extends object>(service: Service, { metrics, clock }: Measuring): Service {
  const labels = ['operation_type'];
  const total = metrics.counter({
    name: 'kubelet_runtime_operations_total',
    help: '[ALPHA] Cumulative number of runtime operations by operation type.',
    labels,
  });
  const errors = metrics.counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: '[ALPHA] Cumulative number of runtime operation errors by operation type.',
    labels,
  });
  const duration = metrics.histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: '[ALPHA] Duration in seconds of runtime operations. Broken down by operation type.',
    labels,
    buckets,
  });
  const measured = (name: string, call: (...args: unknown[]) => unknown) => {
    const operation = { operation_type: operationType(name) };
    return (...args: unknown[]): unknown => {
      const began = monotonicNow(clock);
      const answer = call.apply(service, args);
      if (!(answer instanceof Promise)) return answer;
      total.add(1, operation);
      const end = () => duration.observe((monotonicNow(clock) - began) / 1_000, operation);
      answer.then(end, () => {
        end();
        errors.add(1, operation);
      });
      return answer;
    };
  };
  const entries = Object.entries(service).map(([name, member]) => [
    name,
    typeof member === 'function' ? measured(name, member) : member,
  ]);
  return Object.fromEntries(entries) as Service;
}

/** `run_podsandbox` for `runPodSandbox`. */
function operationType(name: string): string {
  if (name === 'updateContainerResources') return 'update_container';
  return name
    .replace(/podSandbox/i, (found) => `${found[0]}odsandbox`)
    .replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
