import type { Counter, Gauge, Histogram, MetricLabels, MetricOptions, Metrics } from './metrics.js';
import { escapeHelp, escapeLabel, formatSampleValue } from './sample-text.js';

type MetricType = 'counter' | 'gauge' | 'histogram';

/** One metric with a value for every combination of labels so far. */
interface Family {
  readonly options: MetricOptions;
  readonly type: MetricType;
  readonly metric: Counter & Gauge & Histogram;
  render(lines: string[]): void;
  /** Resets the counters. */
  reset(): void;
}

/** Keeps metrics in memory and renders them in Prometheus' text format. */
export class PrometheusMetrics implements Metrics {
  readonly #families = new Map<string, Family>();

  counter(options: MetricOptions): Counter {
    return this.#family(options, 'counter', () => new NumberFamily(options, 'counter')).metric;
  }

  gauge(options: MetricOptions): Gauge {
    return this.#family(options, 'gauge', () => new NumberFamily(options, 'gauge')).metric;
  }

  histogram(options: MetricOptions & { readonly buckets: readonly number[] }): Histogram {
    return this.#family(options, 'histogram', () => new HistogramFamily(options)).metric;
  }

  render(): string {
    const lines: string[] = [];
    for (const family of [...this.#families.values()].sort((a, b) => (a.options.name < b.options.name ? -1 : 1))) {
      lines.push(`# HELP ${family.options.name} ${escapeHelp(family.options.help)}`);
      lines.push(`# TYPE ${family.options.name} ${family.type}`);
      family.render(lines);
    }
    return `${lines.join('\n')}\n`;
  }

  /** Resets counters and histograms. Gauges keep their values. */
  reset(): void {
    for (const family of this.#families.values()) if (family.type !== 'gauge') family.reset();
  }

  #family(options: MetricOptions, type: MetricType, make: () => Family): Family {
    let family = this.#families.get(options.name);
    if (!family) {
      family = make();
      this.#families.set(options.name, family);
    }
    if (family.type !== type) throw new Error(`metric ${options.name} is a ${family.type}, not a ${type}`);
    return family;
  }
}

/**
 * Something for every combination of labels. Callers mostly pass the same label objects again, which are then found at
 * once.
 */
class ByLabels<T> {
  readonly #names: readonly string[];
  readonly #make: () => T;
  #byLabels = new WeakMap<MetricLabels, T>();
  #byText = new Map<string, T>();

  constructor(names: readonly string[] | undefined, make: () => T) {
    this.#names = names ?? [];
    this.#make = make;
  }

  of(labels: MetricLabels = noLabels): T {
    let entry = this.#byLabels.get(labels);
    if (entry === undefined) {
      entry = this.#find(this.#format(labels));
      this.#byLabels.set(labels, entry);
    }
    return entry;
  }

  /** With the text of their labels, in the order in which they came. */
  entries(): Iterable<[string, T]> {
    return this.#byText;
  }

  clear(): void {
    this.#byLabels = new WeakMap();
    this.#byText = new Map();
  }

  #find(text: string): T {
    let entry = this.#byText.get(text);
    if (entry === undefined) {
      entry = this.#make();
      this.#byText.set(text, entry);
    }
    return entry;
  }

  #format(labels: MetricLabels): string {
    if (labels === noLabels && this.#names.length === 0) return '';
    const names = this.#names.length > 0 ? this.#names : Object.keys(labels);
    return names.map((name) => `${name}="${escapeLabel(labels[name] ?? '')}"`).join(',');
  }
}

const noLabels: MetricLabels = Object.freeze({});

class NumberFamily implements Family {
  readonly options: MetricOptions;
  readonly type: MetricType;
  readonly #values: ByLabels<{ value: number }>;
  readonly metric: Counter & Gauge & Histogram;

  constructor(options: MetricOptions, type: 'counter' | 'gauge') {
    this.options = options;
    this.type = type;
    const values = new ByLabels(options.labels, () => ({ value: 0 }));
    this.#values = values;
    this.metric = {
      add: (value, labels) => {
        values.of(labels).value += value;
      },
      set: (value, labels) => {
        values.of(labels).value = value;
      },
      observe: () => {},
    };
  }

  render(lines: string[]): void {
    for (const [labels, { value }] of this.#values.entries())
      lines.push(`${this.options.name}${braced(labels)} ${formatSampleValue(value)}`);
  }

  reset(): void {
    this.#values.clear();
  }
}

interface Distribution {
  /** Number of observations in each bucket; the last is for values above all bounds. */
  readonly counts: number[];
  sum: number;
}

class HistogramFamily implements Family {
  readonly options: MetricOptions & { readonly buckets: readonly number[] };
  readonly type = 'histogram';
  readonly #values: ByLabels<Distribution>;
  readonly metric: Counter & Gauge & Histogram;

  constructor(options: MetricOptions & { readonly buckets: readonly number[] }) {
    this.options = options;
    const { buckets } = options;
    const values = new ByLabels(options.labels, () => ({ counts: new Array(buckets.length + 1).fill(0), sum: 0 }));
    this.#values = values;
    this.metric = {
      add: () => {},
      set: () => {},
      observe: (value, labels, times = 1) => {
        const distribution: Distribution = values.of(labels);
        let bucket = 0;
        while (bucket < buckets.length && value > (buckets[bucket] as number)) bucket++;
        distribution.counts[bucket] = (distribution.counts[bucket] as number) + times;
        distribution.sum += value * times;
      },
    };
  }

  render(lines: string[]): void {
    const { name, buckets } = this.options;
    for (const [labels, { counts, sum }] of this.#values.entries()) {
      let total = 0;
      counts.forEach((count, bucket) => {
        total += count;
        const bound = bucket < buckets.length ? formatSampleValue(buckets[bucket] as number) : '+Inf';
        lines.push(
          `${name}_bucket${braced(labels === '' ? `le="${bound}"` : `${labels},le="${bound}"`)} ${formatSampleValue(total)}`,
        );
      });
      lines.push(
        `${name}_sum${braced(labels)} ${formatSampleValue(sum)}`,
        `${name}_count${braced(labels)} ${formatSampleValue(total)}`,
      );
    }
  }

  reset(): void {
    this.#values.clear();
  }
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}
