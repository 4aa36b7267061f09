import type { Node } from '@coracle/api';
import { type Clock, type Logger, type Millis, sleep } from '@coracle/base';
import type { StatsSummary } from './stats-summary.js';

/** Requests `/stats/summary` of the kubelet of a node, with CPU and memory alone. */
export type SummarySource = (node: Node) => Promise<unknown>;

export interface NodeSummariesOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly source: SummarySource;
  /** Maximum age of a cached summary. */
  readonly maxAgeMs?: Millis | undefined;
}

const defaultMaxAgeMs: Millis = 5_000;
/** Kubelets report a rate from the second measurement on. */
const secondLookMs: Millis = 1_000;
/** Number of concurrent requests to kubelets. */
const atOnce = 64;

interface Entry {
  readonly at: Millis;
  readonly summary: Promise<StatsSummary | undefined>;
}

/** The statistics of kubelets, queried on demand and cached for a few seconds. */
export class NodeSummaries {
  readonly #options: NodeSummariesOptions;
  readonly #entries = new Map<string, Entry>();

  constructor(options: NodeSummariesOptions) {
    this.#options = options;
  }

  /** By the name of the node. Nodes that do not respond are missing. */
  async of(nodes: readonly Node[]): Promise<ReadonlyMap<string, StatsSummary>> {
    const found = new Map<string, StatsSummary>();
    for (let start = 0; start < nodes.length; start += atOnce) {
      const some = nodes.slice(start, start + atOnce);
      const summaries = await Promise.all(some.map((node) => this.#summaryOf(node)));
      some.forEach(({ metadata }, index) => {
        const summary = summaries[index];
        if (summary) found.set(metadata.name ?? '', summary);
      });
    }
    this.#forgetOld();
    return found;
  }

  #summaryOf(node: Node): Promise<StatsSummary | undefined> {
    const { clock, maxAgeMs = defaultMaxAgeMs } = this.#options;
    const name = node.metadata.name ?? '';
    const entry = this.#entries.get(name);
    if (entry && clock.now() - entry.at < maxAgeMs) return entry.summary;
    const summary = this.#ask(node);
    this.#entries.set(name, { at: clock.now(), summary });
    return summary;
  }

  async #ask(node: Node): Promise<StatsSummary | undefined> {
    const { source, clock, logger } = this.#options;
    try {
      const first = (await source(node)) as StatsSummary;
      if (first.node?.cpu === undefined || first.node.cpu.usageNanoCores !== undefined) return first;
      await sleep(clock, secondLookMs);
      return (await source(node)) as StatsSummary;
    } catch (error) {
      logger.info('failed to get the statistics of a node', { node: node.metadata.name, error });
      return undefined;
    }
  }

  #forgetOld(): void {
    const { clock, maxAgeMs = defaultMaxAgeMs } = this.#options;
    for (const [name, { at }] of this.#entries) if (clock.now() - at >= maxAgeMs) this.#entries.delete(name);
  }
}
