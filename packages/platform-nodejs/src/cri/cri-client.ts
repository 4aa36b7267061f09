import { setTimeout } from 'node:timers/promises';
import { messageOf } from '@coracle/base';
import {
  CriError,
  createCodec,
  type ImageService,
  isCriError,
  layout,
  type RuntimeService,
  type VersionResponse,
} from '@coracle/cri';
import { GrpcConnection, type GrpcMethod, socketPathOf } from './grpc-connection.js';
import { HeldConnection } from './held-connection.js';

export interface CriClientOptions {
  readonly endpoint: string;
  /** Endpoint of the image service, if it differs. */
  readonly imageEndpoint?: string;
  /** Timeout of calls without their own one; two minutes by default. */
  readonly timeoutMs?: number;
  /** Whether containers that are being started still start when this process is killed; false by default. */
  readonly holdStarts?: boolean;
}

/** A container runtime behind a socket. */
export interface CriClient extends Disposable {
  readonly endpoint: string;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
}

const defaultTimeoutMs = 120_000;
const codec = createCodec(layout);

export function createCriClient(options: CriClientOptions): CriClient {
  const { endpoint, imageEndpoint = endpoint, timeoutMs = defaultTimeoutMs } = options;
  const connection = new GrpcConnection({ endpoint, codec });
  const images = imageEndpoint === endpoint ? connection : new GrpcConnection({ endpoint: imageEndpoint, codec });
  const runtime = runtimeService(connection, timeoutMs);
  const path = options.holdStarts ? socketPathOf(endpoint) : undefined;
  const held = path === undefined ? undefined : new HeldConnection({ path, codec });
  const start = methodOf('RuntimeService', 'startContainer');
  return {
    endpoint,
    runtime: held ? { ...runtime, startContainer: (request) => held.call(start, request, timeoutMs) } : runtime,
    images: imageService(images, timeoutMs),
    [Symbol.dispose]: () => {
      held?.[Symbol.dispose]();
      connection[Symbol.dispose]();
      if (images !== connection) images[Symbol.dispose]();
    },
  };
}

/** Timeout of the version request. */
const versionTimeoutMs = 3_000;

/**
 * Maximum wait for a runtime that has just started: it first recovers its containers, which takes longer the more there
 * are.
 */
const notYet = /server is not initialized yet/;
const initialization = { patienceMs: 300_000, pauseMs: 250 };

/**
 * Requests the version of the runtime, and waits while it is not ready. Throws if there is no response, or if it does
 * not support CRI v1.
 */
export async function negotiateVersion(
  { endpoint }: Pick<CriClient, 'endpoint'>,
  { patienceMs, pauseMs }: typeof initialization = initialization,
): Promise<VersionResponse> {
  using connection = new GrpcConnection({ endpoint, codec });
  for (let waitedMs = 0; ; waitedMs += pauseMs) {
    try {
      return await askVersion(connection, endpoint);
    } catch (error) {
      if (waitedMs >= patienceMs || !notYet.test(messageOf(error))) throw error;
      await setTimeout(pauseMs);
    }
  }
}

async function askVersion(connection: GrpcConnection, endpoint: string): Promise<VersionResponse> {
  try {
    const method = methodOf('RuntimeService', 'version');
    return await connection.call<VersionResponse>(method, { version: '0.1.0' }, versionTimeoutMs);
  } catch (error) {
    if (!isCriError(error, 'Unimplemented')) throw error;
    const why = `validate CRI v1 runtime API for endpoint "${endpoint}": ${(error as CriError).rpcText}`;
    throw new CriError('Unimplemented', why);
  }
}

function methodOf(service: 'RuntimeService' | 'ImageService', name: string): GrpcMethod {
  const rpc = name.charAt(0).toUpperCase() + name.slice(1);
  const [request = '', response = ''] = layout.services[service]?.[rpc] ?? [];
  return { path: `/runtime.v1.${service}/${rpc}`, request, response: response.replace(/^stream /, '') };
}

function runtimeService(connection: GrpcConnection, timeoutMs: number): RuntimeService {
  const call =
    <Name extends keyof RuntimeService>(name: Name, timeout: number = timeoutMs) =>
    (request: object) =>
      connection.call<Awaited<ReturnType<RuntimeService[Name]>>>(methodOf('RuntimeService', name), request, timeout);
  const stream =
    <Answer>(name: keyof RuntimeService) =>
    (request: object, signal?: AbortSignal) =>
      connection.stream<Answer>(methodOf('RuntimeService', name), request, signal);
  return {
    version: call('version'),
    // The network of a sandbox may have to be created first.
    runPodSandbox: call('runPodSandbox', 2 * timeoutMs),
    stopPodSandbox: call('stopPodSandbox'),
    removePodSandbox: call('removePodSandbox'),
    podSandboxStatus: call('podSandboxStatus'),
    listPodSandbox: call('listPodSandbox'),
    streamPodSandboxes: stream('streamPodSandboxes'),
    createContainer: call('createContainer'),
    startContainer: call('startContainer'),
    stopContainer: (request) => call('stopContainer', timeoutMs + (request.timeout ?? 0) * 1_000)(request),
    removeContainer: call('removeContainer'),
    listContainers: call('listContainers'),
    streamContainers: stream('streamContainers'),
    containerStatus: call('containerStatus'),
    updateContainerResources: call('updateContainerResources'),
    reopenContainerLog: call('reopenContainerLog'),
    execSync: (request) => call('execSync', timeoutMs + (request.timeout ?? 0) * 1_000)(request),
    exec: call('exec'),
    attach: call('attach'),
    portForward: call('portForward'),
    containerStats: call('containerStats'),
    listContainerStats: call('listContainerStats'),
    streamContainerStats: stream('streamContainerStats'),
    podSandboxStats: call('podSandboxStats'),
    listPodSandboxStats: call('listPodSandboxStats'),
    streamPodSandboxStats: stream('streamPodSandboxStats'),
    updateRuntimeConfig: call('updateRuntimeConfig'),
    status: call('status'),
    checkpointContainer: call('checkpointContainer'),
    getContainerEvents: stream('getContainerEvents'),
    listMetricDescriptors: call('listMetricDescriptors'),
    listPodSandboxMetrics: call('listPodSandboxMetrics'),
    streamPodSandboxMetrics: stream('streamPodSandboxMetrics'),
    runtimeConfig: call('runtimeConfig'),
    updatePodSandboxResources: call('updatePodSandboxResources'),
  };
}

function imageService(connection: GrpcConnection, timeoutMs: number): ImageService {
  const call =
    <Name extends keyof ImageService>(name: Name, timeout: number | undefined = timeoutMs) =>
    (request: object) =>
      connection.call<Awaited<ReturnType<ImageService[Name]>>>(methodOf('ImageService', name), request, timeout);
  const pullImage = methodOf('ImageService', 'pullImage');
  return {
    listImages: call('listImages'),
    streamImages: (request, signal) => connection.stream(methodOf('ImageService', 'streamImages'), request, signal),
    imageStatus: call('imageStatus'),
    // Pulls have no timeout.
    pullImage: (request) => connection.call(pullImage, request),
    removeImage: call('removeImage'),
    imageFsInfo: call('imageFsInfo'),
  };
}
