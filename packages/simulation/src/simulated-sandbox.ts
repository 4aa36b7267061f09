import { type PodSandbox, type PodSandboxConfig, PodSandboxState, type PodSandboxStatus } from '@coracle/cri';
import type { SimulatedContainer } from './simulated-container.js';

export interface SimulatedSandboxOptions {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** `undefined` for a pod in the host's network. */
  readonly ip: string | undefined;
  readonly createdAt: number;
}

/** A pod's sandbox, and the containers in it, oldest first. */
export class SimulatedSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  readonly ip: string | undefined;
  readonly containers: SimulatedContainer[] = [];
  /** Replaced as a whole on changes, so that callers may keep it. */
  #status: PodSandboxStatus;

  constructor({ id, config, ip, createdAt }: SimulatedSandboxOptions) {
    this.id = id;
    this.config = config;
    this.ip = ip;
    const namespaces = config.linux?.securityContext?.namespaceOptions;
    this.#status = {
      id,
      metadata: config.metadata ?? {},
      state: PodSandboxState.SANDBOX_READY,
      createdAt,
      network: ip ? { ip } : {},
      ...(namespaces && { linux: { namespaces: { options: namespaces } } }),
      labels: config.labels ?? {},
      annotations: config.annotations ?? {},
    };
  }

  get status(): PodSandboxStatus {
    return this.#status;
  }

  get ready(): boolean {
    return this.#status.state === PodSandboxState.SANDBOX_READY;
  }

  stop(): void {
    this.#status = { ...this.#status, state: PodSandboxState.SANDBOX_NOTREADY };
  }

  /** As lists show it. */
  get summary(): PodSandbox {
    const { network: _network, linux: _linux, ...rest } = this.#status;
    return rest;
  }
}
