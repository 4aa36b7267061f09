import { portForward } from '@coracle/client';
import { CommandError } from '../command/command-error.js';
import { type Context, print, usageError, warn } from '../command/context.js';
import type { LocalConnection } from '../host.js';
import { findPod } from '../remote/find-pod.js';
import { type Fields, recordsAt, textAt } from '../values.js';

export interface PortPair {
  readonly local: number;
  readonly remote: number;
}

export async function run(context: Context): Promise<void> {
  const { args, host } = context;
  const [word, ...words] = args;
  if (word === undefined || words.length === 0)
    throw usageError(context, 'TYPE/NAME and list of ports are required for port-forward');
  const { pod, object } = await findPod(context, { word, action: 'attach to' });
  const texts = words.map((text) => translated(text, { pod, object }));
  const phase = textAt(pod, 'status', 'phase');
  if (phase !== 'Running')
    throw new CommandError(`unable to forward port because pod is not running. Current status=${phase}`);
  const pairs = texts.map(parsePair);
  if (!host.network) throw new CommandError('there are no listeners on this platform');
  const listeners: Disposable[] = [];
  try {
    for (const pair of pairs) listeners.push(...(await listen(context, pod, pair)));
    await new Promise<void>((resolve) => host.interrupted.addEventListener('abort', () => resolve(), { once: true }));
  } finally {
    for (const listener of listeners) listener[Symbol.dispose]();
  }
}

/** Names of ports become numbers; a port of a service becomes the one of the pod behind it. */
export function translated(text: string, { pod, object }: { pod: Fields; object: Fields }): string {
  const [first = '', second] = text.split(/:(.*)/s);
  const remote = second ?? first;
  const local = second === undefined ? '' : first;
  if (textAt(object, 'kind') === 'Service') {
    const port = recordsAt(object, 'spec', 'ports').find(
      (one) => textAt(one, 'name') === remote || textAt(one, 'port') === remote,
    );
    if (!port)
      throw new CommandError(`Service ${textAt(object, 'metadata', 'name')} does not have a service port ${remote}`);
    const target = textAt(port, 'targetPort') || textAt(port, 'port');
    const number = /^\d+$/.test(target) ? target : namedPort(pod, target);
    return `${second === undefined ? textAt(port, 'port') : local}:${number}`;
  }
  if (/^\d*$/.test(remote) || remote.includes(':')) return text;
  const number = namedPort(pod, remote);
  return second === undefined ? number : `${local}:${number}`;
}

function namedPort(pod: Fields, name: string): string {
  const ports = recordsAt(pod, 'spec', 'containers').flatMap((container) => recordsAt(container, 'ports'));
  const found = ports.find((port) => textAt(port, 'name') === name);
  if (!found) throw new CommandError(`Pod '${textAt(pod, 'metadata', 'name')}' does not have a named port '${name}'`);
  return textAt(found, 'containerPort');
}

export function parsePair(text: string): PortPair {
  const parts = text.split(':');
  const [local = '', remote = local] = parts;
  const isPort = (part: string) => /^\d+$/.test(part) && Number(part) < 65_536;
  if (parts.length > 2) throw new CommandError(`invalid port format '${text}'`);
  if (local !== '' && !isPort(local))
    throw new CommandError(
      `error parsing local port '${local}': strconv.ParseUint: parsing ${JSON.stringify(local)}: invalid syntax`,
    );
  if (!isPort(remote) || remote === '0')
    throw new CommandError(
      remote === '0'
        ? 'remote port must be > 0'
        : `error parsing remote port '${remote}': strconv.ParseUint: parsing ${JSON.stringify(remote)}: invalid syntax`,
    );
  return { local: Number(local || '0'), remote: Number(remote) };
}

/** `localhost` stands for both kinds of addresses; one of them is enough. */
async function listen(context: Context, pod: Fields, { local, remote }: PortPair): Promise<Disposable[]> {
  const { flags, host } = context;
  const addresses = flags
    .strings('address')
    .flatMap((address) => (address === 'localhost' ? ['127.0.0.1', '::1'] : [address]));
  const listeners: Disposable[] = [];
  let port = local;
  let problem: unknown;
  for (const address of addresses) {
    try {
      const listener = await host.network?.listen(
        { host: address, port },
        (connection) => void forward(context, { pod, remote, local: port, connection }),
      );
      if (!listener) continue;
      port = listener.port;
      listeners.push(listener);
      print(context, `Forwarding from ${address.includes(':') ? `[${address}]` : address}:${port} -> ${remote}\n`);
    } catch (error) {
      problem = error;
    }
  }
  if (listeners.length === 0)
    throw new CommandError(
      `unable to listen on any of the requested ports: [{${local} ${remote}}]: ${(problem as Error | undefined)?.message ?? ''}`,
    );
  return listeners;
}

interface Forwarding {
  readonly pod: Fields;
  readonly remote: number;
  readonly local: number;
  readonly connection: LocalConnection;
}

async function forward(context: Context, { pod, remote, local, connection }: Forwarding): Promise<void> {
  print(context, `Handling connection for ${local}\n`);
  try {
    const channel = await portForward(await context.factory.client(), {
      namespace: textAt(pod, 'metadata', 'namespace'),
      pod: textAt(pod, 'metadata', 'name'),
      port: remote,
      onData: (chunk) => connection.write(chunk),
      onEnd: (error) => {
        if (error) warn(context, `error: an error occurred forwarding ${local} -> ${remote}: ${error.message}`);
        connection.end();
      },
    });
    for await (const chunk of connection.chunks()) channel.send(chunk);
    channel.end();
  } catch (error) {
    warn(context, `error: an error occurred forwarding ${local} -> ${remote}: ${(error as Error).message}`);
    connection.destroy();
  }
}
