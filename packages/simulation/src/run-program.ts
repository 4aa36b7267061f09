import type { Pod } from '@coracle/api';
import { type Clock, type Millis, messageOf, sleep } from '@coracle/base';
import {
  type HookRequest,
  httpProbeResult,
  mostRedirects,
  nextProbeUrl,
  type ProbeRequest,
  type ProbeResult,
} from '@coracle/kubelet';
import { MainProcess } from './exec/main-process.js';
import type { ContainerContext, ImageProgram, RunningProgram } from './image-program.js';
import type { PodServers } from './network/pod-servers.js';
import type { SimulatedContainer } from './simulated-container.js';

export interface ProgramRun {
  readonly container: SimulatedContainer;
  readonly program: ImageProgram;
  readonly pod: Pod;
  readonly clock: Clock;
  readonly servers: PodServers;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function runProgram({ container, program, pod, clock, servers }: ProgramRun): RunningProgram {
  const main = new MainProcess(container.log, () => clock.now());
  container.main = main;
  if (!container.config.stdin) main.input.end();
  const aborter = new AbortController();
  let handlesEnd = false;
  const write = (stream: 'stdout' | 'stderr') => (text: string) => main.write(encoder.encode(text), stream);
  const served: Disposable[] = [];
  const { config } = container;
  const context: ContainerContext = {
    pod,
    container: config.metadata?.name ?? '',
    env: Object.fromEntries((config.envs ?? []).map(({ key = '', value }) => [key, decoder.decode(value)])),
    args: [...(config.command ?? []), ...(config.args ?? [])],
    stdin: main.input,
    stdout: write('stdout'),
    stderr: write('stderr'),
    log: (line) => write('stdout')(`${line}\n`),
    get signal() {
      handlesEnd = true;
      return aborter.signal;
    },
    clock,
    sleep: (delayMs) => {
      handlesEnd = true;
      return sleep(clock, delayMs, aborter.signal);
    },
    serve: (port, handler) => served.push(servers.add(pod.metadata.uid ?? '', port, handler)),
  };
  const close = () => {
    for (const one of served.splice(0)) one[Symbol.dispose]();
  };
  container.onExit.add(close);
  const ended = new Promise<number | void>((resolve) => resolve(program(context))).then(
    (code) => Number(code ?? 0),
    (error: unknown) => {
      if (aborter.signal.aborted) return stoppedCode;
      write('stderr')(`${messageOf(error)}\n`);
      return 1;
    },
  );
  return {
    ended,
    terminate: () => {
      aborter.abort(new Error('the container is being stopped'));
      return handlesEnd;
    },
  };
}

/** Exit code of a process that does not handle SIGTERM. */
const stoppedCode = 143;

/** The end of a stopped container: a function may take time, or ignore the signal. */
export function stopOf({ program, behaviour }: SimulatedContainer): { stopDelayMs: Millis; stopCode: number } {
  if (!program) return behaviour;
  return { stopDelayMs: program.terminate() ? Number.POSITIVE_INFINITY : 0, stopCode: stoppedCode };
}

/** The probe result of a port that a function may serve. */
export async function probeServer(servers: PodServers, { pod, probe, container }: ProbeRequest): Promise<ProbeResult> {
  const action = probe.httpGet ?? { port: probe.tcpSocket?.port ?? probe.grpc?.port ?? 0 };
  const { port, handler } = serverAt(servers, { pod, container, action });
  if (!handler) return { outcome: 'failure', output: `dial tcp: connect: connection refused (port ${port})` };
  if (!probe.httpGet) return { outcome: 'success', output: '' };
  let request = requestOf(action, port);
  for (let count = 0; count <= mostRedirects; count++) {
    const response = await handler(request, pod);
    const next = nextProbeUrl(new URL(request.url), response.status, response.headers.get('location'));
    if (!next) return httpProbeResult({ status: response.status, body: await response.text() });
    request = new Request(next);
  }
  return { outcome: 'failure', output: `Get "${request.url}": stopped after ${mostRedirects} redirects` };
}

type ServerRequest = Pick<HookRequest, 'pod' | 'container' | 'action'>;

/** The response of a function to a request to a port; `undefined` if none serves it. */
export async function askServer(servers: PodServers, request: ServerRequest): Promise<Response | undefined> {
  const { port, handler } = serverAt(servers, request);
  return handler?.(requestOf(request.action, port), request.pod);
}

function serverAt(servers: PodServers, { pod, container, action }: ServerRequest) {
  const named = container.ports?.find(({ name }) => name === action.port)?.containerPort;
  const port = Number(named ?? action.port);
  return { port, handler: servers.get(pod.metadata.uid, port) };
}

function requestOf({ path = '/' }: HookRequest['action'], port: number): Request {
  return new Request(`http://pod:${port}${path}`);
}
