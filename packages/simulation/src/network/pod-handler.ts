import type { Pod } from '@coracle/api';

/** Handles requests to a port of a simulated pod. */
export type PodHandler = (request: Request, pod: Pod) => Response | Promise<Response>;
