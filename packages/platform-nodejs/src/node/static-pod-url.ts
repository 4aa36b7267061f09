import type { Pod } from '@coracle/api';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { type Clock, every, type Logger, type Millis } from '@coracle/base';
import type { PodManifest, StaticPodSource } from '@coracle/kubelet';

export interface StaticPodUrlOptions {
  readonly url: string;
  /** Sent with each request. */
  readonly headers?: Readonly<Record<string, readonly string[]>>;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly periodMs?: Millis;
}

const defaultPeriodMs: Millis = 20_000;
const timeoutMs = 10_000;

/** The pods that a URL returns: a Pod or a list of pods, as JSON or YAML. While requests fail, they are unchanged. */
export function staticPodUrl(options: StaticPodUrlOptions): StaticPodSource {
  const { url, clock, logger, periodMs = defaultPeriodMs } = options;
  return {
    source: 'http',
    follow(tell) {
      const ending = new AbortController();
      let busy = false;
      const read = async () => {
        if (busy) return;
        busy = true;
        try {
          tell(await readManifests(options, ending.signal));
        } catch (error) {
          if (!ending.signal.aborted) logger.error('The static pods could not be read', { url, error });
        } finally {
          busy = false;
        }
      };
      const timer = every(clock, periodMs, () => void read());
      void read();
      return {
        [Symbol.dispose]: () => {
          ending.abort();
          timer[Symbol.dispose]();
        },
      };
    },
  };
}

async function readManifests({ url, headers = {} }: StaticPodUrlOptions, ended: AbortSignal): Promise<PodManifest[]> {
  const signal = AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]);
  const sent = Object.entries(headers).flatMap(([name, values]) =>
    values.map((value): [string, string] => [name, value]),
  );
  const response = await fetch(url, { headers: sent, signal });
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  const body = new Uint8Array(await response.arrayBuffer());
  if (body.length === 0) throw new Error(`zero-length data received from ${url}`);
  return parseYamlDocuments(body)
    .flatMap(({ value }) => podsIn(value))
    .map((pod) => ({ pod, location: url }));
}

function podsIn(value: unknown): readonly Pod[] {
  const { kind, items = [] } = (value ?? {}) as { readonly kind?: string; readonly items?: readonly Pod[] };
  if (kind === 'Pod') return [value as Pod];
  if (kind === 'PodList' || kind === 'List') return items.map((item) => ({ ...item, kind: 'Pod', apiVersion: 'v1' }));
  throw new Error(`expected a Pod or a PodList, found ${JSON.stringify(kind)}`);
}
