import type { Node } from '@coracle/api';
import { badRequest, failure, serviceUnavailable } from '@coracle/apimachinery';
import type { Handler, RequestContext } from '@coracle/apiserver';
import type { NodeCommands, ProvidedNodes } from './node-provider.js';

/** Requests: `{"action": "add", "count": 3, "like": {…}}`, `{"action": "fail", "name": "n"}`. */
interface NodesRequest {
  readonly action?: unknown;
  readonly name?: unknown;
  readonly count?: unknown;
  readonly like?: unknown;
}

const mostAtOnce = 10_000;
const byName = ['fail', 'recover', 'partition'] as const;

/** `POST /debug/coracle/nodes`: adds simulated nodes, stops and restores them. Answers with their names. */
export function nodesEndpoints(providers: () => readonly ProvidedNodes[]): Readonly<Record<string, Handler>> {
  return {
    '/debug/coracle/nodes': async (context) => {
      if (context.request.method !== 'POST') throw failure('MethodNotAllowed', 'only POST is supported here');
      const commands = providers().flatMap(({ commands }) => (commands ? [commands] : []))[0];
      if (!commands) throw serviceUnavailable('no simulated nodes run in this process');
      const nodes = await carryOut(commands, bodyOf(context));
      return {
        status: 200,
        headers: { 'content-type': 'application/json', 'cache-control': 'no-cache, private' },
        body: { kind: 'bytes', chunks: [new TextEncoder().encode(JSON.stringify({ nodes }))] },
      };
    },
  };
}

async function carryOut(commands: NodeCommands, request: NodesRequest): Promise<readonly string[]> {
  const { action, name, count, like } = request;
  if (action === 'add') {
    if (!Number.isInteger(count) || Number(count) < 1 || Number(count) > mostAtOnce)
      throw badRequest(`count must be a whole number from 1 to ${mostAtOnce}`);
    return commands.add(Number(count), nodeOf(like));
  }
  const match = byName.find((one) => one === action);
  if (!match) throw badRequest(`action must be one of add, ${byName.join(', ')}`);
  if (typeof name !== 'string' || name === '') throw badRequest('name is required');
  if (!commands.has(name)) throw failure('NotFound', `${JSON.stringify(name)} is no simulated node of this process`);
  await commands[match](name);
  return [name];
}

function nodeOf(like: unknown): Node | undefined {
  if (like === undefined) return undefined;
  const { kind, metadata } = (like ?? {}) as Partial<Node>;
  if (kind !== 'Node') throw badRequest('like must be an object of the kind Node');
  return { ...(like as Node), metadata: metadata ?? {} };
}

function bodyOf({ request: { body } }: RequestContext): NodesRequest {
  try {
    const value = body?.kind === 'bytes' ? JSON.parse(new TextDecoder().decode(body.bytes)) : body?.value;
    if (typeof value === 'object' && value !== null) return value as NodesRequest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw badRequest('the body must be a JSON object');
}
