import { decodeMessage, encodeMessage, type Message, type MessageTable } from '../etcd/protobuf.js';
import { LazyGrpcClient } from '../load-grpc.js';

const annotation = { key: { number: 1, type: 'text' }, value: { number: 2, type: 'bytes' } } as const;

const tables = {
  StatusRequest: {},
  StatusResponse: {
    version: { number: 1, type: 'text' },
    healthz: { number: 2, type: 'text' },
    keyId: { number: 3, type: 'text' },
  },
  EncryptRequest: { plaintext: { number: 1, type: 'bytes' }, uid: { number: 2, type: 'text' } },
  EncryptResponse: {
    ciphertext: { number: 1, type: 'bytes' },
    keyId: { number: 2, type: 'text' },
    annotations: { number: 3, type: annotation, repeated: true },
  },
  DecryptRequest: {
    ciphertext: { number: 1, type: 'bytes' },
    uid: { number: 2, type: 'text' },
    keyId: { number: 3, type: 'text' },
    annotations: { number: 4, type: annotation, repeated: true },
  },
  DecryptResponse: { plaintext: { number: 1, type: 'bytes' } },
} as const satisfies Record<string, MessageTable>;

type Tables = typeof tables;
export type KmsMessage<Name extends keyof Tables> = Message<Tables[Name]>;

/** A KMS v2 plugin behind a Unix socket. */
export interface KmsConnection extends Disposable {
  status(): Promise<KmsMessage<'StatusResponse'>>;
  encrypt(request: KmsMessage<'EncryptRequest'>): Promise<KmsMessage<'EncryptResponse'>>;
  decrypt(request: KmsMessage<'DecryptRequest'>): Promise<KmsMessage<'DecryptResponse'>>;
}

export function connectKms({ endpoint, timeoutMs }: { endpoint: string; timeoutMs: number }): KmsConnection {
  const connection = new LazyGrpcClient(endpoint.replace('unix:///', 'unix:/'), {
    'grpc.default_authority': 'localhost',
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 3_000,
    'grpc.use_local_subchannel_pool': 1,
  });
  const call = async <Request extends keyof Tables, Answer extends keyof Tables>(
    method: string,
    [request, answer]: readonly [Request, Answer],
    message: KmsMessage<Request>,
  ): Promise<KmsMessage<Answer>> => {
    const { client, grpc } = await connection.get();
    return await new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        `/v2.KeyManagementService/${method}`,
        (value: KmsMessage<Request>) => Buffer.from(encodeMessage<Tables[Request]>(tables[request], value)),
        (bytes: Buffer) => decodeMessage<Tables[Answer]>(tables[answer], bytes),
        message,
        new grpc.Metadata(),
        { deadline: Date.now() + timeoutMs },
        (error, value) =>
          error || !value ? reject(new Error(`kms plugin: ${error?.message ?? 'no response'}`)) : resolve(value),
      );
    });
  };
  return {
    status: () => call('Status', ['StatusRequest', 'StatusResponse'], {}),
    encrypt: (message) => call('Encrypt', ['EncryptRequest', 'EncryptResponse'], message),
    decrypt: (message) => call('Decrypt', ['DecryptRequest', 'DecryptResponse'], message),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  };
}
