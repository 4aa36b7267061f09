import { type ApiResponse, pageNotFound } from '@coracle/apimachinery';
import { type Clock, messageOf, sleep } from '@coracle/base';
import type { RequestContext } from '../handler-chain.js';

/** Profiles the process, in the formats of V8, which browsers and editors open. */
export interface Profiler {
  /**
   * Starts a CPU profile; the returned function ends it and returns the `.cpuprofile`. Fails while another profile is
   * taken.
   */
  startCpu(): Promise<() => Promise<string>>;
  /** The same for allocations that are still reachable: the function returns a `.heapprofile`. */
  startHeap(): Promise<() => Promise<string>>;
  /** Active resources of the process by kind: sockets, timers … */
  waitingFor(): Readonly<Record<string, number>>;
}

export interface ProfilingOptions {
  readonly profiler: Profiler;
  readonly clock: Clock;
  /** Requests in flight, by verb and resource: `WATCH pods`. */
  readonly underWay: () => Readonly<Record<string, number>>;
}

/** The parts of a request that the pages use. */
export interface ProfilingRequest extends Pick<RequestContext, 'query' | 'signal'> {
  readonly request: { readonly path: string };
}

type ProfilingPage = (context: ProfilingRequest) => Promise<ApiResponse>;

const root = '/debug/pprof';

/** `/debug/pprof/…`, under the paths of Go's pprof. */
export function profilingEndpoints(
  options: ProfilingOptions,
): Readonly<Record<typeof root | `${typeof root}/`, ProfilingPage>> {
  const pages: Readonly<Record<string, ProfilingPage>> = {
    '': async () => page(index(options), 'text/html; charset=utf-8'),
    goroutine: async () => page(summary(options), 'text/plain; charset=utf-8'),
    profile: (context) => record(context, options, { start: 'startCpu', seconds: 30, file: 'profile.cpuprofile' }),
    heap: (context) => record(context, options, { start: 'startHeap', seconds: 5, file: 'heap.heapprofile' }),
  };
  return {
    [root]: async () => ({ ...page('', 'text/html; charset=utf-8'), status: 301, headers: { location: `${root}/` } }),
    [`${root}/`]: async (context) => {
      const serve = pages[context.request.path.slice(root.length + 1)];
      if (!serve) throw pageNotFound();
      return await serve(context);
    },
  };
}

interface Recording {
  readonly start: 'startCpu' | 'startHeap';
  /** Default duration, if the request has none. */
  readonly seconds: number;
  readonly file: string;
}

async function record(
  { query, signal }: ProfilingRequest,
  { profiler, clock }: ProfilingOptions,
  { start, seconds, file }: Recording,
): Promise<ApiResponse> {
  const requestedSeconds = Number(query.get('seconds'));
  let stop: () => Promise<string>;
  try {
    stop = await profiler[start]();
  } catch (error) {
    const problem = messageOf(error);
    return { ...page(`Could not enable profiling: ${problem}\n`, 'text/plain; charset=utf-8'), status: 500 };
  }
  // A client that disconnects in the meantime must not leave the profiler running.
  await sleep(clock, (requestedSeconds > 0 ? requestedSeconds : seconds) * 1000, signal).catch(() => undefined);
  const { headers, ...rest } = page(await stop(), 'application/octet-stream');
  return { ...rest, headers: { ...headers, 'content-disposition': `attachment; filename="${file}"` } };
}

function counts(found: Readonly<Record<string, number>>): string {
  const sorted = Object.entries(found).sort(([a, many], [b, more]) => more - many || (a < b ? -1 : 1));
  return sorted.map(([what, count]) => `${count} ${what}\n`).join('');
}

function summary({ underWay, profiler }: ProfilingOptions): string {
  const [requests, resources] = [underWay(), profiler.waitingFor()];
  return `requests under way: ${total(requests)}\n${counts(requests)}\nresources in use: ${total(resources)}\n${counts(resources)}`;
}

function total(found: Readonly<Record<string, number>>): number {
  return Object.values(found).reduce((sum, count) => sum + count, 0);
}

function index({ underWay }: ProfilingOptions): string {
  const rows: readonly (readonly [string, string, string])[] = [
    [String(total(underWay())), 'goroutine', 'requests under way, and what the process waits for'],
    ['', 'profile', 'where time goes; for 30 seconds, or as many as ?seconds= says; a .cpuprofile of V8'],
    ['', 'heap', 'who takes memory and keeps it; for 5 seconds, or as many; a .heapprofile of V8'],
  ];
  const cells = rows.map(
    ([count, name, text]) => `<tr><td>${count}</td><td><a href="${name}">${name}</a></td><td>${text}</td></tr>`,
  );
  return `<html>\n<head>\n<title>${root}/</title>\n</head>\n<body>\n${root}/\n<table>\n${cells.join('\n')}\n</table>\n</body>\n</html>\n`;
}

function page(content: string, type: string): ApiResponse {
  return {
    status: 200,
    headers: { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' },
    body: { kind: 'bytes', chunks: [new TextEncoder().encode(content)] },
  };
}
