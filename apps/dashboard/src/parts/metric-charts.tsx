import type { KubeObject, ResourceInfo } from '@coracle/apimachinery';
import { idOf } from '../model/catalog.js';
import { chartOf, type MetricSeries, marksOf } from '../model/metric-series.js';
import { bytesText, cpuText, numberOf } from '../model/node-use.js';
import type { AnyKube } from '../model/status-in-words.js';
import { useRoute } from '../router.js';
import { useWords } from '../words/use-words.js';
import { useMetricSeries } from './use-metric-series.js';

/** Kinds that use something, or whose pods do. */
const measured = new Set([
  'pods',
  'nodes',
  'deployments.apps',
  'statefulsets.apps',
  'daemonsets.apps',
  'replicasets.apps',
]);

interface MetricChartsProps {
  readonly info: ResourceInfo;
  readonly object: KubeObject;
}

/** CPU and memory of an object since the page was opened. Empty without metrics, and for the past. */
export function MetricCharts({ info, object }: MetricChartsProps) {
  const isPast = useRoute().query.has('at');
  return measured.has(idOf(info)) && !isPast ? <Charts info={info} object={object} /> : null;
}

function Charts({ info, object }: MetricChartsProps) {
  const w = useWords();
  const series = useMetricSeries(info.kind, object);
  if (!series) return null;
  return (
    <section className="panel whole" aria-labelledby="use">
      <h2 id="use">{w.use}</h2>
      {series.length === 0 ? (
        <p className="dim">{w.notMeasured}</p>
      ) : (
        <div className="charts">
          <MetricChart name="cpu" series={series} marks={markLines(object as AnyKube, info.kind, 'cpu')} />
          <MetricChart name="memory" series={series} marks={markLines(object as AnyKube, info.kind, 'memory')} />
        </div>
      )}
    </section>
  );
}

interface Mark {
  readonly name: 'request' | 'limit' | 'allocatable';
  readonly value: number;
}

/** The limit line is the allocatable amount of a node, or the limit of a pod. Workloads have none. */
function markLines({ spec, status }: AnyKube, kind: string, name: 'cpu' | 'memory'): Mark[] {
  if (kind === 'Node') {
    const value = numberOf((status?.['allocatable'] as Record<string, string> | undefined)?.[name]);
    return value ? [{ name: 'allocatable', value }] : [];
  }
  if (kind !== 'Pod') return [];
  const { request, limit } = marksOf((spec?.['containers'] ?? []) as Parameters<typeof marksOf>[0], name);
  return [
    ...(request ? [{ name: 'request', value: request } as const] : []),
    ...(limit ? [{ name: 'limit', value: limit } as const] : []),
  ];
}

interface MetricChartProps {
  readonly name: 'cpu' | 'memory';
  readonly series: MetricSeries;
  readonly marks: readonly Mark[];
}

const size = { width: 480, height: 64 };

function MetricChart({ name, series, marks }: MetricChartProps) {
  const w = useWords();
  const text = name === 'cpu' ? cpuText : bytesText;
  const points = series.map((sample) => ({ at: sample.at, value: sample[name] }));
  const values = points.map(({ value }) => value);
  const now = values.at(-1) ?? 0;
  const title = name === 'cpu' ? 'CPU' : w.memory;
  const most = Math.max(...values);
  // A node has far more than is used, as a rule: a line at its top would leave the use at the bottom.
  const near = marks.filter(({ value }) => value <= most * 4);
  const { line, area, yOf } = chartOf(
    points,
    near.map(({ value }) => value),
    size,
  );
  const minutes = Math.round(((points.at(-1)?.at ?? 0) - (points[0]?.at ?? 0)) / 60_000);
  return (
    <figure className="chart">
      <figcaption>
        <b>{title}</b> {text(now)}
        {marks.map((mark) => (
          <span key={mark.name} className="dim">
            {' · '}
            {w.marks[mark.name]} {text(mark.value)}
          </span>
        ))}
      </figcaption>
      <svg
        viewBox={`0 0 ${size.width} ${size.height}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={w.chartSays({ title, now: text(now), least: text(Math.min(...values)), most: text(most), minutes })}
      >
        <path className="area" d={area} />
        <path className="line" d={line} vectorEffect="non-scaling-stroke" />
        {near.map((mark) => (
          <path
            key={mark.name}
            className={`mark is-${mark.name}`}
            d={`M0,${yOf(mark.value)} L${size.width},${yOf(mark.value)}`}
            vectorEffect="non-scaling-stroke"
          />
        ))}
      </svg>
      <div className="dim chart-foot">
        <span>{minutes > 0 ? w.minutesAgo(minutes) : w.sinceOpened}</span>
        <span>{w.now}</span>
      </div>
    </figure>
  );
}
