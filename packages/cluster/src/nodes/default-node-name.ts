import { hostname } from 'node:os';

/** As a kubelet names its node unless it is told otherwise. */
export function defaultNodeName(): string {
  return hostname().trim().toLowerCase();
}
