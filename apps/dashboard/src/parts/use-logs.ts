import { asStatusError } from '@coracle/apimachinery';
import { podLogLines } from '@coracle/client';
import { useEffect, useMemo, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { LogBuffer } from '../model/log-buffer.js';
import type { LogSource } from '../model/pod-containers.js';

export interface LogsOptions {
  readonly follow: boolean;
  readonly previous: boolean;
}

/** The logs of several containers in one buffer. `version` grows with it, once a frame at the most. */
export function useLogs(sources: readonly LogSource[], { follow, previous }: LogsOptions) {
  const { client } = useCluster();
  const key = JSON.stringify([sources, follow, previous]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: other sources have another buffer.
  const buffer = useMemo(() => new LogBuffer(), [key]);
  const [version, setVersion] = useState(0);
  const [failures, setFailures] = useState<readonly string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` says all that the sources and options say.
  useEffect(() => {
    const stop = new AbortController();
    let waits = false;
    setFailures([]);
    const show = () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        if (!stop.signal.aborted) setVersion((before) => before + 1);
      });
    };
    const read = async ({ namespace, pod, container }: LogSource) => {
      const name = `${pod}/${container}`;
      const query = { namespace, pod, container, follow, previous, timestamps: true, tailLines: 1000 };
      try {
        for await (const line of podLogLines(client, { ...query, signal: stop.signal })) {
          buffer.push(name, line);
          show();
        }
      } catch (error) {
        if (!stop.signal.aborted) setFailures((before) => [...before, `${name}: ${asStatusError(error).message}`]);
      }
    };
    for (const source of sources) void read(source);
    return () => stop.abort();
  }, [client, key]);
  return { buffer, version, failures };
}
