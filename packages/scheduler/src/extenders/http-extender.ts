import type { Container, Pod } from '@coracle/api';
import { type Exchange, parseDuration, readJson, writeJson } from '@coracle/apimachinery';
import type { Clock } from '@coracle/base';
import type { NodeInfo } from '../cache/node-info.js';
import type { ExtenderConfiguration } from '../config/scheduler-configuration.js';
import { maxScore } from '../framework/plugin.js';
import type { Victims } from '../framework/victims.js';
import type { Extender, ExtenderVerdict, PodsOn } from './extender.js';
import {
  bindingArgs,
  extenderArgs,
  type MetaVictims,
  preemptionArgs,
  readError,
  readFilterResult,
  readScores,
  readVictims,
} from './extender-messages.js';

/** Sends requests to the host of one extender. */
export type ExtenderTransport = (extender: ExtenderConfiguration) => Exchange;

export interface HttpExtenderOptions {
  readonly clock: Clock;
  readonly transport: ExtenderTransport;
}

const defaultTimeoutMs = 5_000;
/** Maximum score of an extender. */
const maxExtenderScore = 10;

/** An HTTP extender: it receives POST requests below the prefix of its URL, one path per verb. */
export function httpExtender(configuration: ExtenderConfiguration, options: HttpExtenderOptions): Extender {
  const { urlPrefix, nodeCacheCapable = false, weight = 0, ignorable = false } = configuration;
  const { filterVerb, prioritizeVerb, bindVerb, preemptVerb } = configuration;
  const send = sender(configuration, options);
  const managed = new Set(configuration.managedResources?.map(({ name }) => name));
  return {
    name: urlPrefix,
    isIgnorable: ignorable,
    isInterested: (pod) => managed.size === 0 || asksForAny(pod, managed),
    ...(filterVerb && {
      filter: async (pod, nodes) =>
        readVerdict(await send(filterVerb, extenderArgs(pod, nodes, nodeCacheCapable)), nodes, {
          urlPrefix,
          nodeCacheCapable,
        }),
    }),
    ...(prioritizeVerb && {
      prioritize: async (pod, nodes) => {
        const scores = readScores(await send(prioritizeVerb, extenderArgs(pod, nodes, nodeCacheCapable)));
        const totals = new Map<string, number>();
        for (const { host, score } of scores)
          totals.set(host, (totals.get(host) ?? 0) + score * weight * (maxScore / maxExtenderScore));
        return totals;
      },
    }),
    ...(bindVerb && {
      bind: async (pod, node) => {
        const error = readError(await send(bindVerb, bindingArgs(pod, node)));
        if (error !== '') throw new Error(error);
      },
    }),
    ...(preemptVerb && {
      preempt: async (pod, candidates, podsOn) => {
        const answer = await send(preemptVerb, preemptionArgs(pod, candidates, nodeCacheCapable));
        return readVictims(answer).map((victims) => victimsOf(victims, podsOn, urlPrefix));
      },
    }),
  };
}

type Send = (verb: string, message: object) => Promise<unknown>;

function sender(configuration: ExtenderConfiguration, { clock, transport }: HttpExtenderOptions): Send {
  const exchange = transport(configuration);
  const base = configuration.urlPrefix.replace(/\/+$/, '');
  const timeoutMs = parseDuration(configuration.httpTimeout ?? '') || defaultTimeoutMs;
  return async (verb, message) => {
    const url = `${base}/${verb}`;
    const ending = new AbortController();
    using _timer = clock.schedule(timeoutMs, () =>
      ending.abort(new Error('context deadline exceeded (Client.Timeout exceeded while awaiting headers)')),
    );
    const answer = exchange({
      method: 'POST',
      path: new URL(url).pathname,
      query: '',
      headers: { 'content-type': 'application/json' },
      body: { kind: 'bytes', bytes: new TextEncoder().encode(writeJson(message)) },
      signal: ending.signal,
    });
    const { status, body } = await orAborted(answer, ending.signal).catch((error: unknown) => {
      throw new Error(`Post ${JSON.stringify(url)}: ${error instanceof Error ? error.message : error}`, {
        cause: error,
      });
    });
    if (status !== 200) throw new Error(`failed ${verb} with extender at URL ${url}, code ${status}`);
    // Whatever its content type: extenders use JSON.
    return body.kind === 'bytes' ? readJson(textIn(body.chunks)) : undefined;
  };
}

/** Covers calls that ignore the signal. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([work, aborted]);
}

function textIn(chunks: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  return chunks.map((chunk) => decoder.decode(chunk, { stream: true })).join('') + decoder.decode();
}

function asksForAny({ spec }: Pod, managed: ReadonlySet<string>): boolean {
  const named = ({ resources }: Container) => [
    ...Object.keys(resources?.requests ?? {}),
    ...Object.keys(resources?.limits ?? {}),
  ];
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  return containers.some((container) => named(container).some((name) => managed.has(name)));
}

/** An extender that returns no nodes leaves none. */
function readVerdict(
  answer: unknown,
  nodes: readonly NodeInfo[],
  { urlPrefix, nodeCacheCapable }: { readonly urlPrefix: string; readonly nodeCacheCapable: boolean },
): ExtenderVerdict {
  const result = readFilterResult(answer);
  if (result.error !== '') throw new Error(result.error);
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const left = (nodeCacheCapable ? result.nodeNames : undefined) ?? result.nodes ?? [];
  const feasible = left.map((name) => {
    const node = byName.get(name);
    if (node) return node;
    throw new Error(
      `extender ${JSON.stringify(urlPrefix)} claims a filtered node ${JSON.stringify(name)} which is not found in the input node list`,
    );
  });
  return { feasible, failed: result.failedNodes, unresolvable: result.failedAndUnresolvableNodes };
}

function victimsOf({ node, uids, violations }: MetaVictims, podsOn: PodsOn, urlPrefix: string): Victims {
  const there = new Map([...podsOn(node)].map((pod) => [pod.uid, pod]));
  const pods = uids.map((uid) => {
    const pod = there.get(uid);
    if (pod) return pod;
    throw new Error(
      `extender: ${urlPrefix} claims to preempt pod (UID: ${uid}) on node: ${node}, but the pod is not found on that node`,
    );
  });
  return { node, pods, violations };
}
