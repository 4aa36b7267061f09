import { hostname } from 'node:os';

/** The default name of a kubelet's node. */
export function defaultNodeName(): string {
  return hostname().trim().toLowerCase();
}
