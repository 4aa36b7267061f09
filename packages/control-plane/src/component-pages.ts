import { type ApiRequest, type ApiResponse, type Exchange, pageNotFound } from '@coracle/apimachinery';
import {
  describeBuild,
  type FeatureGates,
  HealthRecord,
  type ProcessStats,
  ProcessUse,
  type Profiler,
  profilingEndpoints,
  showFeatures,
  usualFeatures,
  type ZPagesOptions,
  zPages,
} from '@coracle/apiserver';
import { messageOf, type PrometheusMetrics } from '@coracle/base';
import type { DebugPage } from '@coracle/controllers';
import type { Component, ComponentCheck } from './components.js';
import type { Access } from './delegated-access.js';

export interface ComponentPagesOptions {
  readonly component: Component;
  readonly metrics: PrometheusMetrics;
  readonly access: Access;
  /** For `/configz`: command-line settings, under the name of the configuration. */
  readonly config: Readonly<Record<string, unknown>>;
  /** For `/statusz` and `/flagz`. */
  readonly about: Omit<ZPagesOptions, 'paths'>;
  /** Those of v1.36 unless stated. */
  readonly features?: FeatureGates;
  readonly processStats?: () => ProcessStats;
  /** Profiler for `/debug/pprof`; not served if absent. */
  readonly profiler?: Profiler;
}

const resourcesPath = '/metrics/resources';
const paths = ['/configz', '/flagz', '/healthz', '/livez', '/metrics', '/metrics/slis', '/readyz'];

/** The endpoints of a component on its own port, whether it leads or waits. */
export function componentPages(options: ComponentPagesOptions): Exchange {
  const { component, access, config, about, profiler } = options;
  const profiles = profiler && profilingEndpoints({ profiler, clock: about.clock, underWay: () => ({}) });
  const shownPaths = [
    ...paths,
    ...(profiles ? ['/debug/pprof'] : []),
    ...(component.resourceMetrics ? [resourcesPath] : []),
  ];
  const ownPages = zPages({ ...about, paths: async () => shownPaths });
  const render = metricsText(options);
  const record = new HealthRecord();
  return async (request) => {
    await access(request);
    if (request.method !== 'GET' && request.method !== 'HEAD') throw pageNotFound();
    const { path } = request;
    const [, endpoint, single] = /^\/(healthz|livez|readyz)(?:\/(.+))?$/.exec(path) ?? [];
    if (endpoint !== undefined) return health(component, request, { endpoint, single, record });
    if (path === '/metrics') return page({ contentType: prometheusText, text: render() });
    if (path === resourcesPath && component.resourceMetrics)
      return page({ contentType: prometheusText, text: component.resourceMetrics() });
    if (path === '/metrics/slis') return page({ contentType: prometheusText, text: record.render() });
    if (path === '/configz') return page({ contentType: 'application/json', text: JSON.stringify(config) });
    if (path === '/statusz' || path === '/flagz') return await ownPages[path](request);
    const profile = profiles && profilePage(path, profiles);
    if (profile) {
      const { signal = new AbortController().signal } = request;
      return await profile({ request, query: new URLSearchParams(request.query), signal });
    }
    const shown = debugPage(component, request);
    if (!shown) throw pageNotFound();
    return shown;
  };
}

function profilePage(path: string, pages: ReturnType<typeof profilingEndpoints>) {
  if (path === '/debug/pprof') return pages['/debug/pprof'];
  return path.startsWith('/debug/pprof/') ? pages['/debug/pprof/'] : undefined;
}

/** The text of `/metrics`: its own metrics, and those of every process. */
function metricsText({ metrics, features = usualFeatures, processStats }: ComponentPagesOptions): () => string {
  describeBuild(metrics);
  showFeatures(features, metrics);
  const use = new ProcessUse(metrics);
  return () => {
    if (processStats) use.show(processStats());
    return metrics.render();
  };
}

const prometheusText = 'text/plain; version=0.0.4; charset=utf-8';
const plainText = 'text/plain; charset=utf-8';

/** `/debug/controllers/NAME/…`, if the controller of that name shows anything there. */
export function debugPage(
  component: Component | undefined,
  { path, query }: Pick<ApiRequest, 'path' | 'query'>,
): ApiResponse | undefined {
  const [, name, below] = /^\/debug\/controllers\/([^/]+)(\/.*)?$/.exec(path) ?? [];
  if (name === undefined) return undefined;
  const found = component?.debug(name, below ?? '/', new URLSearchParams(query));
  return found && page(found);
}

interface HealthAsked {
  readonly endpoint: string;
  /** The single check that is requested, if not all are. */
  readonly single: string | undefined;
  /** Records the results of health checks. */
  readonly record: HealthRecord;
}

/** All checks, or a single one, which reports its reason. */
function health(component: Component, { query }: ApiRequest, { endpoint, single, record }: HealthAsked): ApiResponse {
  const parameters = new URLSearchParams(query);
  const excluded = new Set(parameters.getAll('exclude'));
  const ask = ({ name, check }: ComponentCheck) => {
    const problem = problemOf(check);
    record.add(`/${endpoint}`, name, problem === undefined);
    return problem;
  };
  if (single !== undefined) {
    const found = component.checks().find(({ name }) => name === single);
    if (!found) throw pageNotFound();
    const problem = ask(found);
    return problem === undefined ? text(200, 'ok') : text(500, `internal server error: ${problem}\n`);
  }
  const results = component.checks().map((one) => ({
    name: one.name,
    problem: excluded.has(one.name) ? undefined : ask(one),
  }));
  const failed = results.some(({ problem }) => problem !== undefined);
  if (!failed && !parameters.has('verbose')) return text(200, 'ok');
  const lines = results.map(({ name, problem }) => {
    if (excluded.has(name)) return `[+]${name} excluded: ok`;
    return problem === undefined ? `[+]${name} ok` : `[-]${name} failed: reason withheld`;
  });
  const outcome = `${endpoint} check ${failed ? 'failed' : 'passed'}`;
  return text(failed ? 500 : 200, `${[...lines, outcome].join('\n')}\n`);
}

function problemOf(check: () => void): string | undefined {
  try {
    check();
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

function text(status: number, content: string): ApiResponse {
  return { ...page({ contentType: plainText, text: content }), status };
}

function page({ contentType, text: content }: DebugPage): ApiResponse {
  return {
    status: 200,
    headers: {
      'content-type': contentType,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, private',
    },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
