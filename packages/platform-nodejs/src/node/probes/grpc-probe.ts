import { createCodec } from '@coracle/cri';
import type { ProbeResult } from '@coracle/kubelet';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';

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
}

/** Asks the health service of a gRPC server, without TLS. */
export function probeGrpc({ host, port, service, timeoutMs }: GrpcProbe): Promise<ProbeResult> {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.primary_user_agent': 'kube-probe/1.36',
  });
  return new Promise<ProbeResult>((resolve) => {
    client.makeUnaryRequest(
      '/grpc.health.v1.Health/Check',
      (request: { readonly service: string }) => Buffer.from(codec.encode('Request', request)),
      (bytes: Buffer) => Number(codec.decode('Response', bytes)['status']),
      { service },
      new Metadata(),
      { deadline: Date.now() + timeoutMs },
      (error, answer) => resolve(error ? refusal(error, address, timeoutMs) : verdict(answer)),
    );
  }).finally(() => client.close());
}

function verdict(serving: number | undefined): ProbeResult {
  if (serving === 1) return { outcome: 'success', output: 'service healthy' };
  const name = statusNames[serving ?? 0] ?? String(serving);
  return { outcome: 'failure', output: `service unhealthy (responded with "${name}")` };
}

function refusal({ code, details }: ServiceError, address: string, timeoutMs: number): ProbeResult {
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
