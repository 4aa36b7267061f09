import { renderFamilies } from '../stats/exposition.js';
import type { ProbeRequest } from './prober.js';

export type ProbeOutcome = 'successful' | 'failed' | 'unknown';

interface Count {
  readonly labels: Readonly<Record<string, string>>;
  value: number;
}

/** Counts the results of probes while their pods exist. */
export class ProbeCounts {
  /** By pod, then by the rest of the labels. */
  readonly #pods = new Map<string, Map<string, Count>>();

  add({ kind, pod, container }: ProbeRequest, result: ProbeOutcome): void {
    const { uid = '', name = '', namespace = '' } = pod.metadata;
    const counts = this.#pods.get(uid) ?? new Map<string, Count>();
    this.#pods.set(uid, counts);
    const probeType = `${kind.charAt(0).toUpperCase()}${kind.slice(1)}`;
    const labels = { container: container.name, namespace, pod: name, pod_uid: uid, probe_type: probeType, result };
    const key = `${container.name}/${kind}/${result}`;
    const count = counts.get(key) ?? { labels, value: 0 };
    count.value += 1;
    counts.set(key, count);
  }

  forget(podUid: string): void {
    this.#pods.delete(podUid);
  }

  render(): string {
    const samples = [...this.#pods.values()].flatMap((counts) => [...counts.values()]);
    const help = '[BETA] Cumulative number of a liveness, readiness or startup probe for a container by result.';
    return renderFamilies([{ name: 'prober_probe_total', type: 'counter', help, samples }]);
  }
}
