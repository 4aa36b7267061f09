import { type Node, type Pod, refs } from '@coracle/api';
import { type ApiResponse, failure, notFound, type StatusError, serviceUnavailable } from '@coracle/apimachinery';
import type { Dialer, ForwardedRequest, NodeConnector, ObjectReader } from '@coracle/apiserver';
import type { Clock } from '@coracle/base';
import type { SimulatedNodes } from '../simulated-nodes.js';
import type { SimulatedRuntime } from '../simulated-runtime.js';
import { logResponse } from './container-log-response.js';

export interface SimulatedConnectorOptions {
  readonly nodes: SimulatedNodes;
  readonly objects: ObjectReader;
  readonly clock: Clock;
}

/** The way to simulated nodes. Their kubelets open channels into containers, which have logs; nothing else is there. */
export function simulatedConnector(options: SimulatedConnectorOptions): NodeConnector {
  return {
    request: async (node, request) => {
      const [, kind, namespace = '', name = '', container = ''] = request.path.split('/').map(decodeURIComponent);
      if (kind !== 'containerLogs') throw nothingThere(`${request.path} of node ${JSON.stringify(node.metadata.name)}`);
      return readLog(options, { node, pod: podNamed(options.objects, namespace, name), container, request });
    },
    connect: async ({ metadata: { name = '' } }, request, protocols) => {
      const kubelet = options.nodes.kubeletOf(name);
      if (!kubelet) throw unreachable(name);
      return kubelet.connect(request, protocols);
    },
  };
}

/** What is at the addresses of simulated pods. */
export const simulatedPods: Dialer = {
  request: async ({ host, port }) => {
    throw nothingThere(`${host}:${port}`);
  },
  connect: async ({ host, port }) => {
    throw nothingThere(`${host}:${port}`);
  },
};

function nothingThere(what: string): StatusError {
  return failure(
    'MethodNotAllowed',
    `${what} is not available: nodes are simulated, and no process runs in their pods`,
  );
}

function unreachable(node: string): StatusError {
  return serviceUnavailable(`error dialing backend: node ${JSON.stringify(node)} does not answer`);
}

function podNamed(objects: ObjectReader, namespace: string, name: string): Pod {
  const pod = objects.get(refs.pods, namespace, name);
  if (!pod) throw notFound(refs.pods, name);
  return pod;
}

interface LogTarget {
  readonly node: Node;
  readonly pod: Pod;
  readonly container: string;
  readonly request: ForwardedRequest;
}

function readLog(options: SimulatedConnectorOptions, { node, pod, container, request }: LogTarget): ApiResponse {
  const nodeName = node.metadata.name ?? '';
  const runtime: SimulatedRuntime | undefined = options.nodes.runtimeOf(nodeName);
  if (!runtime) throw unreachable(nodeName);
  const { namespace = '', name = '', uid = '' } = pod.metadata;
  return logResponse({
    clock: options.clock,
    query: new URLSearchParams(request.query),
    signal: request.signal,
    lines: () => runtime.logsOf(uid, container),
    isOver: () => {
      const current = options.objects.get(refs.pods, namespace, name);
      const phase = current?.metadata.uid === uid ? current.status?.phase : 'Failed';
      return phase === 'Succeeded' || phase === 'Failed';
    },
  });
}
