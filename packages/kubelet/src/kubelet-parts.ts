import type { Activity, Clock, Logger, Random, Tracer } from '@coracle/base';
import type { Client, EventRecorder } from '@coracle/client';
import type { ImageService, RuntimeService } from '@coracle/cri';
import type { ProbeManager } from './probes/probe-manager.js';
import type { Prober } from './probes/prober.js';
import type { RestartBackoff } from './restart-backoff.js';
import type { StatusManager } from './status/status-manager.js';

/** What the parts of a kubelet share. */
export interface KubeletParts {
  readonly nodeName: string;
  readonly client: Client;
  readonly runtime: RuntimeService;
  readonly images: ImageService;
  readonly prober: Prober;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly recorder: EventRecorder;
  readonly backoff: RestartBackoff;
  readonly statuses: StatusManager;
  readonly probes: ProbeManager;
  /** How ids of containers begin in statuses: `containerd`. */
  readonly runtimeName: string;
  /** The node's addresses. */
  readonly hostIps: readonly string[];
}
