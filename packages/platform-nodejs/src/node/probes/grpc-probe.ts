import { createCodec, criErrorCodes } from '@coracle/cri';
import type { ProbeResult } from '@coracle/kubelet';
import { callGrpc } from './grpc-call.js';

/** `grpc.health.v1`, as far as a probe needs it. */
const codec = createCodec({
  messages: { Request: { service: [1, 'string'] }, Response: { status: [1, 'ServingStatus'] } },
  enums: { ServingStatus: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } },
});
const statusNames = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

export interface GrpcProbe {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Calls the health service of a gRPC server, without TLS. */
export async function probeGrpc({ host, port, service, timeoutMs, signal }: GrpcProbe): Promise<ProbeResult> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const answer = await callGrpc({
    address,
    path: '/grpc.health.v1.Health/Check',
    message: codec.encode('Request', { service }),
    userAgent: 'kube-probe/1.36',
    timeoutMs,
    signal,
  });
  switch (answer.kind) {
    case 'message':
      return verdict(Number(codec.decode('Response', answer.bytes)['status']));
    case 'status':
      return refusal(answer, address, timeoutMs);
    case 'timeout':
      return failure(timedOut(timeoutMs));
    case 'unreachable':
      return failure(`timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: ${answer.reason}`);
  }
}

function failure(output: string): ProbeResult {
  return { outcome: 'failure', output };
}

function verdict(serving: number): ProbeResult {
  if (serving === 1) return { outcome: 'success', output: 'service healthy' };
  return failure(`service unhealthy (responded with "${statusNames[serving] ?? serving}")`);
}

interface Refusal {
  readonly code: number;
  readonly details: string;
}

function refusal({ code, details }: Refusal, address: string, timeoutMs: number): ProbeResult {
  const name = criErrorCodes[code] ?? `Code(${code})`;
  if (name === 'Unimplemented')
    return failure(
      `server at "${address}" doesn't implement the grpc health protocol (grpc.health.v1.Health): ${details}`,
    );
  if (name === 'DeadlineExceeded') return failure(timedOut(timeoutMs));
  return failure(`error: health rpc probe failed: rpc error: code = ${name} desc = ${details}`);
}

function timedOut(timeoutMs: number): string {
  return `timeout: health rpc did not complete within ${timeoutMs / 1000}s`;
}
