import { numberOf } from './node-use.js';

/** Usage at a time: CPUs, and bytes of memory. */
export interface MetricSample {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly cpu: number;
  readonly memory: number;
}

/** Samples of one thing, the oldest first. */
export type MetricSeries = readonly MetricSample[];

/** The usage of a node or a pod in `metrics.k8s.io`. */
export interface Measured {
  readonly timestamp?: string;
  readonly usage?: Usage;
  readonly containers?: readonly { readonly name?: string; readonly usage?: Usage }[];
}

type Usage = Readonly<Record<string, string>>;

const keptMs = 30 * 60_000;

/** The use of a node, or of all containers of a pod. */
export function sampleOf(measured: Measured): MetricSample | undefined {
  const at = Date.parse(measured.timestamp ?? '');
  if (Number.isNaN(at)) return undefined;
  const usages = measured.usage ? [measured.usage] : (measured.containers ?? []).map(({ usage }) => usage ?? {});
  const sum = (name: string) => usages.reduce((total, usage) => total + (numberOf(usage[name]) ?? 0), 0);
  return { at, cpu: sum('cpu'), memory: sum('memory') };
}

/** The use of several pods together, at the time of the newest measurement. */
export function sumOf(samples: readonly MetricSample[]): MetricSample | undefined {
  if (samples.length === 0) return undefined;
  return {
    at: Math.max(...samples.map(({ at }) => at)),
    cpu: samples.reduce((sum, { cpu }) => sum + cpu, 0),
    memory: samples.reduce((sum, { memory }) => sum + memory, 0),
  };
}

/** With one more sample. One that was there already is not added again, and those of half an hour ago go. */
export function withSample(series: MetricSeries, sample: MetricSample): MetricSeries {
  const last = series.at(-1);
  if (last && last.at >= sample.at) return series;
  return [...series.filter(({ at }) => at > sample.at - keptMs), sample];
}

export interface ChartSize {
  readonly width: number;
  readonly height: number;
}

export interface Chart {
  /** Paths of SVG: the line, and the area below it. */
  readonly line: string;
  readonly area: string;
  /** The height at which a value is drawn. */
  yOf(value: number): number;
}

/** Values over time as a line from edge to edge. The top is the greatest of them and of `marks`; zero is the bottom. */
export function chartOf(
  points: readonly { readonly at: number; readonly value: number }[],
  marks: readonly number[],
  { width, height }: ChartSize,
): Chart {
  const top = Math.max(...points.map(({ value }) => value), ...marks, 0) || 1;
  const yOf = (value: number) => round(height - (value / top) * (height - 2) - 1);
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return { line: '', area: '', yOf };
  const span = last.at - first.at;
  const xOf = (at: number) => round(span === 0 ? width : ((at - first.at) / span) * width);
  // One point alone is drawn as a level line.
  const drawn = span === 0 ? [`0,${yOf(last.value)}`] : [];
  drawn.push(...points.map(({ at, value }) => `${xOf(at)},${yOf(value)}`));
  const line = `M${drawn.join(' L')}`;
  return { line, area: `${line} L${width},${height} L0,${height} Z`, yOf };
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

interface Resources {
  readonly requests?: Usage;
  readonly limits?: Usage;
}

/** Total requests and limits of the containers of a pod; no limit unless every container has one. */
export function marksOf(
  containers: readonly { readonly resources?: Resources }[],
  name: 'cpu' | 'memory',
): { readonly request: number | undefined; readonly limit: number | undefined } {
  const requests = containers.map(({ resources }) => numberOf(resources?.requests?.[name]) ?? 0);
  const limits = containers.map(({ resources }) => numberOf(resources?.limits?.[name]));
  const total = requests.reduce((sum, value) => sum + value, 0);
  const isLimited = limits.length > 0 && limits.every((value) => value !== undefined);
  return {
    request: total || undefined,
    limit: isLimited ? limits.reduce<number>((sum, value) => sum + (value ?? 0), 0) : undefined,
  };
}
