import { type Container, type Pod, type PodSpec, refs } from '@coracle/api';
import { Activity, noMetrics, noTracer, seededRandom, silentLogger, VirtualClock } from '@coracle/base';
import { createClient } from '@coracle/client';
import { startPermissiveApiServer } from '@coracle/testing';
import { type SimulatedNodesOptions, startSimulatedNodes } from './simulated-nodes.js';

const admin = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
export const node = 'coracle-node-1';

/**
 * An API server and nodes on virtual time, for tests: every user may do everything, and there are no admission plugins.
 */
export async function startTestNodes(count = 1, more: Partial<SimulatedNodesOptions> = {}) {
  const activity = new Activity();
  const clock = new VirtualClock({ activity });
  const shared = { clock, random: seededRandom(1), logger: silentLogger, tracer: noTracer, metrics: noMetrics };
  const server = await startPermissiveApiServer({ ...shared, authenticators: () => [] });
  const writes: string[] = [];
  const clientFor = (name: string, groups: readonly string[]) =>
    createClient({
      transport: {
        exchange: (request) => {
          if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
          return server.exchange(request);
        },
      },
      user: { name, groups },
    });
  const client = createClient({ transport: { exchange: server.exchange }, user: admin });
  for (const name of ['default', 'kube-node-lease'])
    await client
      .resource(refs.namespaces)
      .create({ metadata: { name } })
      .catch(() => undefined);
  const nodes = await startSimulatedNodes({ ...shared, activity, count, clientFor, ...more });
  await clock.settle();
  const pods = client.resource(refs.pods, 'default');
  return {
    clock,
    client,
    pods,
    nodes,
    writes,
    /** Creates the pod on the first node and waits until the cluster is idle. */
    async run(name: string, spec: Partial<PodSpec> = {}, annotations: Record<string, string> = {}) {
      await pods.create(podOf(name, spec, annotations));
      await clock.settle();
      return pods.get(name);
    },
    /** The reasons and messages of the events about an object, in order. */
    async events(name: string) {
      const { items } = await client.resource(refs.events, 'default').list();
      return items
        .filter(({ involvedObject }) => involvedObject.name === name)
        .map(({ reason, message }) => `${reason}: ${message}`);
    },
  };
}

export const web: Container = { name: 'web', image: 'nginx' };

export function podOf(name: string, spec: Partial<PodSpec>, annotations: Record<string, string>): Pod {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`simulation.coracle.dev/${key}`, value]);
  return {
    metadata: { name, namespace: 'default', annotations: Object.fromEntries(prefixed) },
    spec: { nodeName: node, containers: [web], ...spec },
  };
}

export function stateOf({ status }: Pod, container = 'web'): string {
  const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const one = all.find(({ name }) => name === container);
  const { running, waiting, terminated } = one?.state ?? {};
  if (running) return one?.ready ? 'ready' : 'running';
  return waiting ? `waiting: ${waiting.reason}` : `ended: ${terminated?.exitCode} ${terminated?.reason}`;
}

export function conditionsOf({ status }: Pod): string[] | undefined {
  return status?.conditions?.map(({ type, status: value, reason }) => `${type}=${value}${reason ? ` ${reason}` : ''}`);
}
