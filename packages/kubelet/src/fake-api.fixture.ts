import type { ApiRequest } from '@coracle/apimachinery';
import { type Client, createClient } from '@coracle/client';

/** Answers a request, or fails it. */
export type FakeAnswer = (request: ApiRequest) => unknown;

export interface FakeApi {
  readonly client: Client;
  /** `METHOD path`, in order. */
  readonly requests: string[];
}

/** An API server whose responses come from `answer`. */
export function fakeApi(answer: FakeAnswer): FakeApi {
  const requests: string[] = [];
  const exchange = async (request: ApiRequest) => {
    requests.push(`${request.method} ${request.path}${request.query && `?${request.query}`}`);
    return { status: 200, headers: {}, body: { kind: 'value' as const, value: answer(request) } };
  };
  return { client: createClient({ transport: { exchange }, user: { name: 'kubelet', groups: [] } }), requests };
}

export function sentBody({ body }: ApiRequest): unknown {
  return body?.kind === 'value' ? body.value : undefined;
}
