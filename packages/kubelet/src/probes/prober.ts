import type { Container, HTTPGetAction, Pod, Probe } from '@coracle/api';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

export interface ProbeResult {
  readonly outcome: 'success' | 'failure';
  /** What the event says of a failure. */
  readonly output: string;
}

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly probe: Probe;
  /** Where the pod is reached; empty if it has no address. */
  readonly podIp: string;
}

/** The HTTP request of a lifecycle hook. */
export interface HookRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly action: HTTPGetAction;
  /** Where the pod is reached; empty if it has no address. */
  readonly podIp: string;
}

/** Probes a port of a container by HTTP, TCP or gRPC. Exec probes go through the runtime. */
export interface Prober {
  probe(request: ProbeRequest): Promise<ProbeResult>;
  /** Sends the request of a lifecycle hook and waits for the answer, whatever its status. Throws if there is none. */
  callHook(request: HookRequest): Promise<void>;
}
