import { hasTool } from '@coracle/platform-nodejs';

/** Why this machine cannot connect pods and serve services; `undefined` if it can. */
export async function canConnectPods(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can change the network';
  if (!(await hasTool('ip', ['link', 'show', 'lo']))) return 'iproute2 is not installed';
  if (!(await hasTool('nft', ['list', 'tables']))) return 'nftables does not answer';
  return undefined;
}
