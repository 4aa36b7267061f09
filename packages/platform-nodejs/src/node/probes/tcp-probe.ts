import { connect } from 'node:net';
import type { ProbeResult } from '@coracle/kubelet';
import { dialProblem } from './http-probe.js';

export interface TcpProbe {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** A connection that can be opened is a success. */
export function probeTcp({ host, port, timeoutMs, signal }: TcpProbe): Promise<ProbeResult> {
  const url = new URL(`tcp://${host.includes(':') ? `[${host}]` : host}:${port}`);
  return new Promise((resolve) => {
    const socket = connect({ host, port, signal });
    const end = (result: ProbeResult) => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end({ outcome: 'failure', output: `dial tcp ${host}:${port}: i/o timeout` }));
    socket.on('connect', () => end({ outcome: 'success', output: '' }));
    socket.on('error', (error) => end({ outcome: 'failure', output: dialProblem(error, url) }));
  });
}
