import { createCodec } from '@coracle/cri';
import type { ProbeResult } from '@coracle/kubelet';
import type { ServiceError } from '@grpc/grpc-js';
import { LazyGrpcClient } from '../../load-grpc.js';

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
  using connection = new LazyGrpcClient(address, {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.primary_user_agent': 'kube-probe/1.36',
  });
  const { client, grpc } = await connection.get();
  return await new Promise<ProbeResult>((resolve) => {
    const call = client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (request: { readonly service: string }) => Buffer.from(codec.encode('Request', request)),
      (bytes: Buffer) => Number(codec.decode('Response', bytes)['status']),
      { service },
      new grpc.Metadata(),
      { deadline: Date.now() + timeoutMs },
      (error, answer) => resolve(error ? refusal(error, { address, timeoutMs, status: grpc.status }) : verdict(answer)),
    );
    signal.addEventListener('abort', () => call.cancel(), { once: true });
  });
}

function verdict(serving: number | undefined): ProbeResult {
  if (serving === 1) return { outcome: 'success', output: 'service healthy' };
  const name = statusNames[serving ?? 0] ?? String(serving);
  return { outcome: 'failure', output: `service unhealthy (responded with "${name}")` };
}

interface Asked {
  readonly address: string;
  readonly timeoutMs: number;
  readonly status: typeof import('@grpc/grpc-js').status;
}

function refusal({ code, details }: ServiceError, { address, timeoutMs, status }: Asked): ProbeResult {
  const fail = (output: string): ProbeResult => ({ outcome: 'failure', output });
  if (code === status.UNIMPLEMENTED)
    return fail(
      `server at "${address}" doesn't implement the grpc health protocol (grpc.health.v1.Health): ${details}`,
    );
  if (code === status.DEADLINE_EXCEEDED)
    return fail(`timeout: health rpc did not complete within ${timeoutMs / 1000}s`);
  if (code === status.UNAVAILABLE)
    return fail(`timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: ${details}`);
  return fail(`error: health rpc probe failed: rpc error: code = ${code} desc = ${details}`);
}
