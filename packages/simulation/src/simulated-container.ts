import type { Millis } from '@coracle/base';
import {
  type Container,
  type ContainerConfig,
  ContainerState,
  type ContainerStatus,
  type ContainerUser,
} from '@coracle/cri';
import type { ContainerBehaviour } from './behaviour.js';
import { ContainerLog } from './container-log.js';
import { CpuMeter } from './cpu-meter.js';
import type { MainProcess } from './exec/main-process.js';
import type { ContainerFiles } from './files/container-files.js';
import { fullImageName } from './image-name.js';
import type { RunningProgram } from './image-program.js';
import { terminationMessageOf } from './termination-message.js';

export interface SimulatedContainerOptions {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly behaviour: ContainerBehaviour;
  readonly imageRef: string;
  readonly createdAt: number;
}

/** One container: its request, and its state. Times are in nanoseconds, as in CRI. */
export class SimulatedContainer {
  readonly id: string;
  readonly sandboxId: string;
  readonly config: ContainerConfig;
  readonly behaviour: ContainerBehaviour;
  readonly log: ContainerLog = new ContainerLog();
  readonly cpu: CpuMeter = new CpuMeter();
  /** Its file system, created on first use. */
  files: ContainerFiles | undefined;
  /** Its own command, if that reads standard input. */
  main: MainProcess | undefined;
  /** The function that it runs, if it is one. */
  program: RunningProgram | undefined;
  /** When it started, by the clock. */
  startedAtMs: Millis = 0;
  /** Its scheduled actions: write output, end. */
  readonly timers: Disposable[] = [];
  /** Called when it has ended. */
  readonly onExit = new Set<() => void>();
  /** Replaced as a whole on changes, so that callers may keep it. */
  #status: ContainerStatus;

  constructor({ id, sandboxId, config, behaviour, imageRef, createdAt }: SimulatedContainerOptions) {
    this.id = id;
    this.sandboxId = sandboxId;
    this.config = config;
    this.behaviour = behaviour;
    this.#status = {
      id,
      metadata: config.metadata ?? {},
      state: ContainerState.CONTAINER_CREATED,
      createdAt,
      startedAt: 0,
      finishedAt: 0,
      exitCode: 0,
      image: { ...config.image, image: fullImageName(config.image?.userSpecifiedImage || (config.image?.image ?? '')) },
      imageRef,
      imageId: imageRef,
      labels: config.labels ?? {},
      annotations: config.annotations ?? {},
      user: userOf(config),
      ...(config.logPath && { logPath: config.logPath }),
    };
  }

  get status(): ContainerStatus {
    return this.#status;
  }

  get running(): boolean {
    return this.#status.state === ContainerState.CONTAINER_RUNNING;
  }

  started(at: number, atMs: Millis): void {
    this.startedAtMs = atMs;
    this.#status = { ...this.#status, state: ContainerState.CONTAINER_RUNNING, startedAt: at };
  }

  exited(at: number, exitCode: number, reason?: string): void {
    this.forgetPlans();
    const message = this.behaviour.terminationMessage ?? terminationMessageOf(this, exitCode);
    this.#status = {
      ...this.#status,
      state: ContainerState.CONTAINER_EXITED,
      finishedAt: at,
      exitCode,
      reason: reason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      ...(message && { message }),
    };
    for (const listener of this.onExit) listener();
    this.onExit.clear();
  }

  /** It has no more scheduled actions. */
  forgetPlans(): void {
    for (const timer of this.timers.splice(0)) timer[Symbol.dispose]();
  }

  /** As lists show it. */
  get summary(): Container {
    const { id, metadata, image, imageRef, state, createdAt, labels, annotations } = this.#status;
    return {
      ...(id && { id }),
      podSandboxId: this.sandboxId,
      ...(metadata && { metadata }),
      ...(image && { image }),
      ...(imageRef && { imageRef, imageId: imageRef }),
      ...(state !== undefined && { state }),
      ...(createdAt !== undefined && { createdAt }),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
    };
  }
}

/** Root, unless the pod says otherwise: images have no users here. */
function userOf({ linux }: ContainerConfig): ContainerUser {
  const { runAsUser, runAsGroup, supplementalGroups = [] } = linux?.securityContext ?? {};
  const gid = runAsGroup?.value ?? 0;
  return { linux: { uid: runAsUser?.value ?? 0, gid, supplementalGroups: [gid, ...supplementalGroups] } };
}
