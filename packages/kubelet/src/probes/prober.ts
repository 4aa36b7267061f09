import type { Container, HTTPGetAction, Pod, Probe } from '@coracle/api';

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

export interface ProbeResult {
  /** A warning counts as a success, and is reported as an event. */
  readonly outcome: 'success' | 'warning' | 'failure';
  /** The message of the event for a failure or a warning. */
  readonly output: string;
}

export interface ProbeRequest {
  readonly kind: ProbeKind;
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly probe: Probe;
  /** The pod's IP address; empty if it has none. */
  readonly podIp: string;
}

/** The HTTP request of a lifecycle hook. */
export interface HookRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly action: HTTPGetAction;
  /** The pod's IP address; empty if it has none. */
  readonly podIp: string;
}

/** Probes a port of a container by HTTP, TCP or gRPC. Exec probes go through the runtime. */
export interface Prober {
  /** If aborted, it ends at once with any result. */
  probe(request: ProbeRequest, signal: AbortSignal): Promise<ProbeResult>;
  /**
   * Sends the request of a lifecycle hook and waits for the response, whatever its status. Throws if there is none, and
   * when it is aborted.
   */
  callHook(request: HookRequest, signal: AbortSignal): Promise<void>;
}

/** The probe result of an HTTP response, after redirects within the same host. */
export function httpProbeResult({ status, body }: { readonly status: number; readonly body: string }): ProbeResult {
  if (status < 200 || status >= 400)
    return { outcome: 'failure', output: `HTTP probe failed with statuscode: ${status}` };
  if (status < 300) return { outcome: 'success', output: body };
  return { outcome: 'warning', output: `Probe terminated redirects, Response body: ${body}` };
}

/** The statuses of redirects that are followed. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** The URL of the redirect that an HTTP probe follows; `undefined` if it ends here, as at redirects to other hosts. */
export function nextProbeUrl(url: URL, status: number, location: string | null | undefined): URL | undefined {
  if (!redirects.has(status) || !location) return undefined;
  const next = new URL(location, url);
  return next.hostname === url.hostname ? next : undefined;
}

/** Maximum number of redirects of an HTTP probe. */
export const mostRedirects = 10;
