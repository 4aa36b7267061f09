import { rm } from 'node:fs/promises';
import type { Codec } from '@coracle/cri';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';

type Message = Readonly<Record<string, unknown>>;

/** A unary call. Errors are returned to the caller, with the gRPC status `code`. */
export interface UnaryMethod {
  readonly request: string;
  readonly response: string;
  readonly answer: (request: Message) => Promise<object> | object;
}

/** A call that streams responses until its caller disconnects. */
export interface StreamMethod {
  readonly request: string;
  readonly response: string;
  readonly stream: (send: (answer: object) => void, signal: AbortSignal) => void;
}

/** Services by their full names; methods by theirs. */
export type Services = Readonly<Record<string, Readonly<Record<string, UnaryMethod | StreamMethod>>>>;

/** Serves gRPC at a Unix domain socket, replacing an existing file. */
export async function serveGrpc(path: string, codec: Codec, services: Services): Promise<AsyncDisposable> {
  const server = new Server();
  for (const [service, methods] of Object.entries(services)) {
    const definition: Record<string, ServiceDefinition[string]> = {};
    const handlers: UntypedServiceImplementation = {};
    for (const [name, method] of Object.entries(methods)) {
      definition[name] = definitionOf(`/${service}/${name}`, codec, method);
      handlers[name] = 'stream' in method ? streaming(method) : unary(method);
    }
    server.addService(definition, handlers);
  }
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) =>
    server.bindAsync(`unix:${path}`, ServerCredentials.createInsecure(), (error) =>
      error ? reject(error) : resolve(),
    ),
  );
  return {
    [Symbol.asyncDispose]: async () => {
      server.forceShutdown();
      await rm(path, { force: true });
    },
  };
}

function definitionOf(path: string, codec: Codec, method: UnaryMethod | StreamMethod): ServiceDefinition[string] {
  const { request, response } = method;
  return {
    path,
    requestStream: false,
    responseStream: 'stream' in method,
    requestSerialize: (value: object) => Buffer.from(codec.encode(request, value)),
    requestDeserialize: (bytes: Buffer) => codec.decode(request, bytes),
    responseSerialize: (value: object) => Buffer.from(codec.encode(response, value)),
    responseDeserialize: (bytes: Buffer) => codec.decode(response, bytes),
  };
}

function unary({ answer }: UnaryMethod) {
  return (call: ServerUnaryCall<Message, object>, done: sendUnaryData<object>) => {
    new Promise<object>((resolve) => resolve(answer(call.request))).then(
      (value) => done(null, value),
      (error: Error & { readonly code?: number }) =>
        done({ code: typeof error.code === 'number' ? error.code : status.UNKNOWN, details: error.message }),
    );
  };
}

function streaming({ stream }: StreamMethod) {
  return (call: ServerWritableStream<Message, object>) => {
    const aborter = new AbortController();
    call.on('cancelled', () => aborter.abort());
    call.on('error', () => aborter.abort());
    stream((answer) => call.write(answer), aborter.signal);
  };
}
