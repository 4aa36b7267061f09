import type { ApiRequest } from '@coracle/apimachinery';
import { type Authorizer, defaultPlugins } from '@coracle/apiserver';
import { seededRandom, VirtualClock } from '@coracle/base';
import { startPermissiveApiServer } from '@coracle/testing';

export interface WritingServer extends AsyncDisposable {
  create(path: string, object: object): Promise<void>;
  delete(path: string): Promise<void>;
  /** Changes a config map so many times. */
  write(times: number): Promise<void>;
}

const peer = { user: { name: 'admin', groups: ['system:masters'] } };
const configMaps = '/api/v1/namespaces/default/configmaps';
const encoder = new TextEncoder();

/** An API server without a socket, with the admission plugins that are on by default. */
export async function startServer(): Promise<WritingServer> {
  const clock = new VirtualClock();
  const random = seededRandom(1);
  const authorizer: Authorizer = { name: 'AlwaysAllow', authorize: () => ({ kind: 'allow', reason: '' }) };
  const server = await startPermissiveApiServer({
    clock,
    random,
    admission: (parts) => defaultPlugins({ ...parts, clock, random, authorizer }),
  });
  const send = async (request: Pick<ApiRequest, 'method' | 'path'>, type: string, value: object) => {
    const bytes = encoder.encode(JSON.stringify(value));
    const headers = { accept: 'application/json', 'content-type': type, 'user-agent': 'bench/1' };
    const { status } = await server.exchange({ ...request, query: '', headers, peer, body: { kind: 'bytes', bytes } });
    if (status >= 300) throw new Error(`${request.method} ${request.path} answered ${status}`);
  };
  const create = (path: string, object: object) => send({ method: 'POST', path }, 'application/json', object);
  await create(configMaps, { metadata: { name: 'c' }, data: { count: '0' } });
  let count = 0;
  return {
    create,
    delete: (path) => send({ method: 'DELETE', path }, 'application/json', {}),
    async write(times) {
      for (let i = 0; i < times; i++)
        await send({ method: 'PATCH', path: `${configMaps}/c` }, 'application/merge-patch+json', {
          data: { count: String(++count) },
        });
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}
