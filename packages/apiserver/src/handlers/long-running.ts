import type { ResourceInfo } from '@coracle/apimachinery';
import type { Gauge, Metrics } from '@coracle/base';
import type { RequestInfo } from '../request-info.js';

/** Open watches and connections: `apiserver_longrunning_requests`. */
export class LongRunning {
  readonly #gauge: Gauge;
  readonly #open = new Map<string, number>();

  constructor(metrics: Metrics) {
    this.#gauge = metrics.gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches and connections that are open now, by resource.',
      labels: ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'],
    });
  }

  /** Counts a connection until the returned function is called. */
  begin(
    verb: 'WATCH' | 'CONNECT',
    { group, version, resource }: Pick<ResourceInfo, 'group' | 'version' | 'resource'>,
    info: RequestInfo,
  ): () => void {
    const { subresource } = info;
    const labels = { verb, group, version, resource, subresource, scope: scopeOf(info), component: 'apiserver' };
    const name = `${verb} ${[resource, ...(subresource === '' ? [] : [subresource])].join('/')}`;
    const count = (change: number) => {
      this.#gauge.add(change, labels);
      this.#open.set(name, (this.#open.get(name) ?? 0) + change);
    };
    count(1);
    let isOver = false;
    return () => {
      if (!isOver) count(-1);
      isOver = true;
    };
  }

  /** The number of connections by kind: `WATCH pods`. */
  counts(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#open].filter(([, count]) => count > 0));
  }
}

function scopeOf({ name, namespace }: RequestInfo): string {
  if (name !== '') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
