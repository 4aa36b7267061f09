import { serviceUnavailable } from '@coracle/apimachinery';
import type { NodeConnector } from '@coracle/apiserver';
import type { Kubelet } from '@coracle/kubelet';
import type { SimulatedNodes } from '../simulated-nodes.js';

/** Access to simulated nodes: their kubelets are called in this process. */
export function simulatedConnector(nodes: SimulatedNodes): NodeConnector {
  const kubeletOf = (name = ''): Kubelet => {
    const kubelet = nodes.isReachable(name) ? nodes.kubeletOf(name) : undefined;
    if (!kubelet) throw serviceUnavailable(`error dialing backend: node ${JSON.stringify(name)} does not answer`);
    return kubelet;
  };
  return {
    request: async ({ metadata }, request) => kubeletOf(metadata.name).server.exchange(request),
    connect: async ({ metadata }, request, protocols) => kubeletOf(metadata.name).server.connect(request, protocols),
  };
}
