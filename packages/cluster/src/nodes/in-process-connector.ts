import type { NodeConnector } from '@coracle/apiserver';
import type { Kubelet, KubeletSettings } from '@coracle/kubelet';

/** The API server's user at a kubelet of its own process. */
const peer = { user: { name: 'kube-apiserver-kubelet-client', groups: ['system:masters'] } };

/** Leads to a kubelet of this process; nowhere where its server is disabled, as on any other machine. */
export function inProcessConnector(
  { server }: Pick<Kubelet, 'server'>,
  settings: Partial<Pick<KubeletSettings, 'enableServer'>> = {},
): NodeConnector | undefined {
  if (settings.enableServer === false) return undefined;
  return {
    request: (_node, request) => server.exchange({ ...request, peer }),
    connect: (_node, request, protocols) => server.connect({ ...request, peer }, protocols),
  };
}
