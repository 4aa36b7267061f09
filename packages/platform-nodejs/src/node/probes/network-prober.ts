import type { Container } from '@coracle/api';
import type { HookRequest, ProbeRequest, ProbeResult, Prober } from '@coracle/kubelet';
import { probeGrpc } from './grpc-probe.js';
import { callHttp, probeHttp } from './http-probe.js';
import { probeTcp } from './tcp-probe.js';

const probeUserAgent = 'kube-probe/1.36';
const hookUserAgent = 'kube-lifecycle/1.36';

/** Probes ports of containers over the pod network. */
export const networkProber: Prober = {
  async probe({ probe, container, podIp }: ProbeRequest, signal: AbortSignal): Promise<ProbeResult> {
    const timeoutMs = (probe.timeoutSeconds ?? 1) * 1_000;
    const { httpGet, tcpSocket, grpc } = probe;
    if (httpGet) {
      const host = httpGet.host || podIp;
      const port = portOf(container, httpGet.port);
      return probeHttp({ action: httpGet, host, port, timeoutMs, userAgent: probeUserAgent, signal });
    }
    if (tcpSocket)
      return probeTcp({ host: tcpSocket.host || podIp, port: portOf(container, tcpSocket.port), timeoutMs, signal });
    if (grpc) return probeGrpc({ host: podIp, port: grpc.port, service: grpc.service ?? '', timeoutMs, signal });
    throw new Error(`missing probe handler for container ${container.name}`);
  },
  async callHook({ container, action, podIp }: HookRequest, signal: AbortSignal): Promise<void> {
    const [host, port] = [action.host || podIp, portOf(container, action.port)];
    await callHttp({ action, host, port, userAgent: hookUserAgent, signal });
  },
};

/** A number, or the name of one of the container's ports. */
function portOf({ ports = [], name }: Container, port: number | string): number {
  const number =
    typeof port === 'number' ? port : (ports.find((one) => one.name === port)?.containerPort ?? Number(port));
  if (Number.isInteger(number) && number > 0 && number < 65_536) return number;
  throw new Error(`invalid port number: ${port} of container ${name}`);
}
