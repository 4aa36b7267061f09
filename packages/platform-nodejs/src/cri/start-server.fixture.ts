import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createCodec, layout } from '@coracle/cri';
import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData, status } from '@grpc/grpc-js';

const codec = createCodec(layout);

export interface StartServer extends AsyncDisposable {
  readonly endpoint: string;
  /** Calls whose caller disconnected before the response. */
  readonly cancelled: readonly string[];
}

type Answer = string | undefined;

/** A runtime that only starts containers: `onStart` returns the error, if any. */
export async function serveStarts(
  onStart: (containerId: string) => Answer | Promise<Answer>,
  endpoint = `unix://${mkdtempSync(join(tmpdir(), 'coracle-starts-'))}/runtime.sock`,
): Promise<StartServer> {
  const server = new Server();
  const cancelled: string[] = [];
  const start = (call: ServerUnaryCall<{ containerId?: string }, object>, done: sendUnaryData<object>) => {
    const { containerId = '' } = call.request;
    call.on('cancelled', () => cancelled.push(containerId));
    void Promise.resolve(onStart(containerId)).then((details) =>
      details === undefined ? done(null, {}) : done({ code: status.NOT_FOUND, details }),
    );
  };
  server.addService({ StartContainer: definition }, { StartContainer: start });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${endpoint.slice('unix://'.length)}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return {
    endpoint,
    cancelled,
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown();
      rmSync(join(dirname(endpoint.slice('unix://'.length)), 'runtime.sock'), { force: true });
    },
  };
}

const definition = {
  path: '/runtime.v1.RuntimeService/StartContainer',
  requestStream: false,
  responseStream: false,
  requestSerialize: (value: object) => Buffer.from(codec.encode('StartContainerRequest', value)),
  requestDeserialize: (bytes: Buffer) => codec.decode('StartContainerRequest', bytes),
  responseSerialize: (value: object) => Buffer.from(codec.encode('StartContainerResponse', value)),
  responseDeserialize: (bytes: Buffer) => codec.decode('StartContainerResponse', bytes),
} as const;
