import type { Pod } from '@coracle/api';
import { type ApiResponse, type Channel, openCommand } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { ContainerState, isCriError, PodSandboxState, type RuntimeService } from '@coracle/cri';
import { podSelector } from '../runtime-labels.js';
import { textResponse } from '../streaming/refusal.js';
import type { RuntimeStreams } from './runtime-streams.js';

/** A request for a channel, as an API server sends it to a kubelet. */
export interface StreamRequest {
  /** `/exec/NAMESPACE/POD/CONTAINER`, `/attach/…`, `/portForward/NAMESPACE/POD`; a uid may follow the pod. */
  readonly path: string;
  /** Without the question mark. */
  readonly query: string;
}

export interface StreamParts {
  /** All pods of the node. */
  readonly pods: () => readonly Pod[];
  readonly runtime: RuntimeService;
  readonly streams: RuntimeStreams;
}

/** Opens a channel into a container or a pod, or responds with the error. */
export async function openStream(
  parts: StreamParts,
  { path, query }: StreamRequest,
  protocols: readonly string[],
): Promise<Channel | ApiResponse> {
  const [, kind = '', namespace = '', pod = '', ...rest] = path.split('/').map(decodeURIComponent);
  const target = { namespace, pod, container: rest.at(-1) ?? '' };
  try {
    if (streamKinds.has(kind) && !hasPod(parts, target)) return textResponse(404, 'pod does not exist');
    const address = await addressOf(parts.runtime, { kind, target, query: new URLSearchParams(query) });
    if (typeof address !== 'string') return address;
    const open = (offered: readonly string[]) => parts.streams.connect(address, offered);
    if (kind === 'portForward' || !parts.streams.commandsOverSpdy) return await open(protocols);
    return await openCommand(open, protocols, flagsOf(new URLSearchParams(query)));
  } catch (error) {
    const message = messageOf(error);
    return textResponse(isCriError(error, 'NotFound') ? 404 : 500, message);
  }
}

const streamKinds: ReadonlySet<string> = new Set(['exec', 'attach', 'portForward']);

function hasPod({ pods }: StreamParts, { namespace, pod }: Target): boolean {
  return pods().some(({ metadata }) => metadata.name === pod && metadata.namespace === namespace);
}

interface Target {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

interface Wish {
  readonly kind: string;
  readonly target: Target;
  readonly query: URLSearchParams;
}

/** The URL at which the runtime serves the stream, or an error. */
async function addressOf(runtime: RuntimeService, { kind, target, query }: Wish): Promise<string | ApiResponse> {
  if (kind === 'portForward') return forwardAddress(runtime, target, query);
  if (kind !== 'exec' && kind !== 'attach') return textResponse(404, '404 page not found\n');
  const flags = flagsOf(query);
  if (!flags.stdin && !flags.stdout && !flags.stderr)
    return textResponse(400, 'you must specify at least 1 of stdin, stdout, stderr');
  const containerId = await runningContainer(runtime, target);
  if (containerId === undefined) return textResponse(500, `container not found (${JSON.stringify(target.container)})`);
  const { url = '' } =
    kind === 'exec'
      ? await runtime.exec({ containerId, cmd: query.getAll('command'), ...flags })
      : await runtime.attach({ containerId, ...flags });
  return url;
}

async function forwardAddress(
  runtime: RuntimeService,
  target: Target,
  query: URLSearchParams,
): Promise<string | ApiResponse> {
  const ports = query.getAll('port').flatMap((text) => text.split(','));
  const wrong = ports.find((text) => !/^\d{1,5}$/.test(text) || Number(text) < 1 || Number(text) > 0xffff);
  if (wrong !== undefined) return textResponse(400, `unable to parse ${JSON.stringify(wrong)} as a port`);
  const podSandboxId = await readySandbox(runtime, target);
  if (podSandboxId === undefined) {
    return textResponse(500, `pod not found (${JSON.stringify(`${target.pod}_${target.namespace}`)})`);
  }
  const { url = '' } = await runtime.portForward({ podSandboxId, port: ports.map(Number) });
  return url;
}

/** A terminal has one stream for all output. */
function flagsOf(query: URLSearchParams) {
  const isSet = (name: string) => query.get(name) === '1';
  const tty = isSet('tty');
  return { stdin: isSet('input'), stdout: isSet('output'), stderr: isSet('error') && !tty, tty };
}

/** The newest running one of that name. */
async function runningContainer(runtime: RuntimeService, target: Target): Promise<string | undefined> {
  const { containers = [] } = await runtime.listContainers({
    filter: { state: { state: ContainerState.CONTAINER_RUNNING }, labelSelector: podSelector(target) },
  });
  const [newest] = containers.sort((one, other) => (other.createdAt ?? 0) - (one.createdAt ?? 0));
  return newest?.id;
}

async function readySandbox(runtime: RuntimeService, { namespace, pod }: Target): Promise<string | undefined> {
  const { items = [] } = await runtime.listPodSandbox({
    filter: { state: { state: PodSandboxState.SANDBOX_READY }, labelSelector: podSelector({ namespace, pod }) },
  });
  return items[0]?.id;
}
