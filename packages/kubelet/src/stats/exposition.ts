import { escapeHelp, escapeLabel, formatSampleValue } from '@coracle/base';

/** One value of a metric, and when it was measured. */
export interface MetricSample {
  /** Which part of a histogram it is. */
  readonly part?: 'bucket' | 'count' | 'sum';
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number | undefined;
  /** Milliseconds since the epoch. */
  readonly at?: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly samples: readonly MetricSample[];
}

/** Metrics that are computed per request, in the Prometheus text format. Families without values are omitted. */
export function renderFamilies(families: readonly MetricFamily[]): string {
  const sorted = [...families].sort((a, b) => (a.name < b.name ? -1 : 1));
  return sorted.map(renderFamily).join('');
}

function renderFamily({ name, type, help, samples }: MetricFamily): string {
  const lines = samples.flatMap(({ part, labels = {}, value, at }) =>
    value === undefined
      ? []
      : [
          `${name}${part ? `_${part}` : ''}${renderLabels(labels)} ${formatSampleValue(value)}${at === undefined ? '' : ` ${at}`}\n`,
        ],
  );
  return lines.length === 0 ? '' : `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function renderLabels(labels: Readonly<Record<string, string>>): string {
  const parts = Object.keys(labels)
    .sort()
    .map((key) => `${key}="${escapeLabel(labels[key] ?? '')}"`);
  return parts.length === 0 ? '' : `{${parts.join(',')}}`;
}
