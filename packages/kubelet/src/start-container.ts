import type { Container, EphemeralContainer, Pod } from '@coracle/api';
import { formatDuration } from '@coracle/apimachinery';
import { type Millis, messageOf } from '@coracle/base';
import {
  type ContainerConfig,
  ContainerState,
  type ContainerStatus,
  type Image,
  type PodSandboxConfig,
} from '@coracle/cri';
import type { ContainerToStart } from './compute-pod-actions.js';
import { containerReference, podReference } from './container-reference.js';
import { type DeviceGrant, noDevices } from './devices/device-plugin.js';
import { containerEnvironment } from './environment/container-environment.js';
import { ensureImage, type ImageContext, type ImageRefusal } from './images/ensure-image.js';
import { ensureVolumeImages, type VolumeImages } from './images/volume-images.js';
import { type KillParts, killContainer } from './kill-container.js';
import type { Needs } from './kubelet-parts.js';
import { type HookRun, runHook } from './lifecycle-hook.js';

import type { PodWork } from './pod-work.js';
import { earlierRun } from './restart-all/earlier-run.js';
import { containerConfig } from './runtime-config/container-config.js';
import { hashOf } from './runtime-labels.js';
import { hasNeverRun, millisOf, newestContainer, podAddresses } from './runtime-pod.js';
import type { WaitingReason } from './status/container-status.js';
import { graceOf } from './terminate-pod.js';
import { unlessAborted } from './unless-aborted.js';

export type StartOutcome =
  | { readonly started: true }
  /** `retryMs`: time until a retry makes sense. */
  | { readonly started: false; readonly why: WaitingReason; readonly retryMs: Millis };

export interface StartRequest extends ContainerToStart {
  /** Aborted when the pod should no longer run. */
  readonly signal: AbortSignal;
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
}

type VariableParts = Needs<'nodeName' | 'hostIps' | 'references' | 'allocatable' | 'recorder' | 'volumes'>;
type ConfigParts = VariableParts &
  Needs<
    | 'settings'
    | 'memoryCapacity'
    | 'rootDirectory'
    | 'imageUserOf'
    | 'volumes'
    | 'devices'
    | 'claims'
    | 'pinning'
    | 'userNamespaces'
  >;
type CreateParts = ConfigParts & KillParts & Needs<'tracer' | 'runtime' | 'podLogs'>;
export type StartParts = CreateParts & ImageContext & Needs<'statuses' | 'backoff'>;

/** Delay before a failure with an unknown reason is retried. */
const retryMs: Millis = 10_000;

/** Image, create, start, postStart. Each failure is an event and a reason, never an exception. */
export async function startContainer(parts: StartParts, work: PodWork, request: StartRequest): Promise<StartOutcome> {
  const { container } = request;
  const previous = newestContainer(work.state, container.name);
  const forgotten = previous ? undefined : earlierRun(work.pod, parts.statuses.statusOf(work.pod), container.name);
  const endedAt = previous ? endOf(work, container.name) : forgotten?.endedAt;
  const held = endedAt === undefined ? undefined : checkBackoff(parts, work.pod, { container, endedAt });
  if (held) return held;
  const found = await unlessAborted(request.signal, ensureImages(parts, work.pod, request));
  if (!found) return notWanted;
  if ('refused' in found) return { started: false, why: found.refused, retryMs: found.retryMs };
  const { namespace, name } = work.pod.metadata;
  parts.tracer.step('kubelet.image', `pods/${namespace}/${name}`, { image: container.image ?? '' });
  if (request.signal.aborted) return notWanted;
  const attempt = previous ? await nextAttempt(parts, previous) : (forgotten?.attempt ?? -1) + 1;
  if (attempt === undefined) return { ...notWanted, retryMs: removalRetryMs };
  return createAndStart(parts, work, { ...request, ...found, attempt });
}

/** When the last run of the container in the runtime ended. */
function endOf({ state }: PodWork, name: string): Millis | undefined {
  const ended = state.containers.find(
    (one) => one.metadata?.name === name && one.state === ContainerState.CONTAINER_EXITED && !hasNeverRun(one),
  );
  return ended && millisOf(ended.finishedAt);
}

/** Pulls the image of the container, and those of its image volumes. */
async function ensureImages(
  parts: StartParts,
  pod: Pod,
  { container, sandboxConfig }: StartRequest,
): Promise<ImagesFound | ImageRefusal> {
  const { image: name = '', imagePullPolicy: policy } = container;
  const about = containerReference(pod, container);
  const own = await ensureImage(parts, pod, { name, policy, about, sandboxConfig });
  if ('refused' in own) return own;
  const ofVolumes = await ensureVolumeImages(parts, pod, { container, sandboxConfig });
  return 'refused' in ofVolumes ? ofVolumes : { image: own.image, volumeImages: ofVolumes.images };
}

/** The pod is being deleted: no event for the container. */
const notWanted = { started: false as const, why: { reason: 'ContainerCreating' }, retryMs } satisfies StartOutcome;

/** A container that a killed kubelet was starting will soon run, or can soon be removed. */
const removalRetryMs: Millis = 500;

/**
 * A container that was created and never ran, because the kubelet was killed in between, is created again and does not
 * count. `undefined` while it cannot be removed.
 */
async function nextAttempt(
  { runtime, logger }: Needs<'runtime' | 'logger'>,
  previous: ContainerStatus,
): Promise<number | undefined> {
  const attempt = previous.metadata?.attempt ?? 0;
  if (!hasNeverRun(previous)) return attempt + 1;
  try {
    await runtime.removeContainer({ containerId: previous.id ?? '' });
    return attempt;
  } catch (error) {
    logger.info('A container that has never run could not be removed', { container: previous.id, error });
    return undefined;
  }
}

/** The reason during back-off. Otherwise the next failure waits longer. */
function checkBackoff(
  { backoff, recorder }: Needs<'backoff' | 'recorder'>,
  pod: Pod,
  { container, endedAt }: { readonly container: Container; readonly endedAt: Millis },
): StartOutcome | undefined {
  const { name, namespace, uid } = pod.metadata;
  const key = `${uid}/${container.name}/${hashOf(container)}`;
  const waitMs = backoff.waitMs(key, endedAt);
  if (waitMs === 0) {
    backoff.next(key, endedAt);
    return undefined;
  }
  const podId = `${name}_${namespace}(${uid})`;
  const text = `Back-off restarting failed container ${container.name} in pod ${podId}`;
  recorder.event(containerReference(pod, container), 'Warning', 'BackOff', text);
  const delay = formatDuration(backoff.delayMs(key));
  const message = `back-off ${delay} restarting failed container=${container.name} pod=${podId}`;
  return { started: false, why: { reason: 'CrashLoopBackOff', message }, retryMs: waitMs };
}

interface ImagesFound {
  readonly image: Image;
  readonly volumeImages: VolumeImages;
}

interface LogToLink extends Pick<StartRequest, 'sandboxConfig'> {
  readonly containerId: string;
  readonly config: ContainerConfig;
}

interface CreateRequest extends StartRequest, ImagesFound {
  readonly attempt: number;
}

async function createAndStart(parts: CreateParts, work: PodWork, request: CreateRequest): Promise<StartOutcome> {
  const { runtime, recorder, tracer } = parts;
  const { container, sandboxId: podSandboxId, sandboxConfig } = request;
  const { pod } = work;
  const about = containerReference(pod, container);
  const subject = `pods/${pod.metadata.namespace}/${pod.metadata.name}`;
  let reason = 'CreateContainerConfigError';
  try {
    const config = await configOf(parts, work, request);
    reason = 'CreateContainerError';
    await parts.devices?.preStart(pod, container);
    const { containerId = '' } = await runtime.createContainer({ podSandboxId, config, sandboxConfig });
    tracer.step('kubelet.createContainer', subject, { container: container.name });
    recorder.event(about, 'Normal', 'Created', `Container created`);
    if (request.signal.aborted) return notWanted;
    reason = 'RunContainerError';
    await runtime.startContainer({ containerId });
    tracer.step('kubelet.startContainer', subject, { container: container.name });
    recorder.event(about, 'Normal', 'Started', `Container started`);
    linkLog(parts, pod, { containerId, config, sandboxConfig });
    return await postStart(parts, work, { container, containerId, signal: request.signal });
  } catch (error) {
    const message = messageOf(error);
    recorder.event(about, 'Warning', 'Failed', `Error: ${message}`);
    return { started: false, why: { reason, message }, retryMs };
  }
}

function linkLog(
  { podLogs }: Needs<'podLogs'>,
  { metadata: { namespace = '', name: pod = '' } }: Pod,
  { containerId, config, sandboxConfig }: LogToLink,
): void {
  const container = config.metadata?.name ?? '';
  podLogs.link({ namespace, pod, container, containerId }, `${sandboxConfig.logDirectory}/${config.logPath}`);
}

async function configOf(
  parts: ConfigParts,
  work: PodWork,
  { container, attempt, image, volumeImages }: CreateRequest,
): Promise<ContainerConfig> {
  const { pod, state } = work;
  const { settings, memoryCapacity, rootDirectory, imageUserOf } = parts;
  const variables = await variablesOf(parts, work, container);
  const podIps = podAddresses(pod, state, parts.hostIps);
  const filesystem = await parts.volumes.filesystemOf({ pod, container, attempt, variables, podIps, volumeImages });
  const target = (container as EphemeralContainer).targetContainerName;
  const targetId = target === undefined ? undefined : newestContainer(state, target)?.id;
  const imageUser = imageUserOf(image);
  const idMapping = parts.userNamespaces.of(pod);
  return containerConfig(pod, {
    container,
    attempt,
    variables,
    filesystem,
    memoryCapacity,
    cpuCfsQuota: settings.cpuCFSQuota,
    cpuCfsQuotaPeriod: settings.cpuCFSQuotaPeriod * 1_000,
    seccompDefault: settings.seccompDefault,
    seccompFolder: `${rootDirectory}/seccomp`,
    grant: grantOf(parts, pod, container),
    ...(parts.pinning && { pinning: parts.pinning.of(pod, container) }),
    ...(image.id && { imageRef: image.id }),
    ...(idMapping && { idMapping }),
    ...(imageUser && { imageUser }),
    ...(targetId !== undefined && { targetId }),
  });
}

/** Runtime options of the container's devices. */
function grantOf({ devices, claims }: Needs<'devices' | 'claims'>, pod: Pod, container: Container): DeviceGrant {
  const grant = devices?.grantOf(pod, container) ?? noDevices;
  return { ...grant, cdiDevices: [...grant.cdiDevices, ...(claims?.cdiDevicesOf(pod, container) ?? [])] };
}

function variablesOf(parts: VariableParts, work: PodWork, container: Container): Promise<Map<string, string>> {
  const { nodeName, hostIps, references, allocatable, recorder, volumes } = parts;
  const { pod, state } = work;
  const podIps = podAddresses(pod, state, hostIps);
  return containerEnvironment({
    pod,
    container,
    nodeName,
    hostIps,
    podIps,
    references,
    allocatable,
    readFile: volumes.fileReaderOf(pod),
    onSkipped: (source, keys) =>
      recorder.event(
        podReference(pod),
        'Warning',
        'InvalidEnvironmentVariableNames',
        `Keys [${keys.join(', ')}] from the EnvFrom ${source} were skipped since they are considered invalid environment variable names.`,
      ),
  });
}

async function postStart(
  parts: KillParts,
  work: PodWork,
  {
    container,
    containerId,
    signal,
  }: { readonly container: Container; readonly containerId: string; readonly signal: AbortSignal },
): Promise<StartOutcome> {
  const hook = container.lifecycle?.postStart;
  if (!hook) return { started: true };
  const [podIp = ''] = podAddresses(work.pod, work.state, parts.hostIps);
  work.inPostStart.add(containerId);
  try {
    const run = { pod: work.pod, container, containerId, hook, podIp, signal: work.ended };
    const hookEnds = runHook(parts, run).catch((error) => String(error));
    const problem = await unlessAborted(signal, hookEnds);
    return problem === undefined ? { started: true } : await stopAfterHook(parts, work, { run, problem, signal });
  } finally {
    work.inPostStart.delete(containerId);
  }
}

async function stopAfterHook(
  parts: KillParts,
  work: PodWork,
  { run, problem, signal }: { readonly run: HookRun; readonly problem: string; readonly signal: AbortSignal },
): Promise<StartOutcome> {
  const { pod, container, containerId: id } = run;
  // The output of a hook may be secret, and many users can read events.
  parts.recorder.event(containerReference(pod, container), 'Warning', 'FailedPostStartHook', 'PostStartHook failed');
  const message = 'FailedPostStartHook';
  await killContainer(parts, work, { container, id, message, graceSeconds: graceOf(pod), signal });
  return { started: false, why: { reason: 'PostStartHookError', message: problem }, retryMs };
}
