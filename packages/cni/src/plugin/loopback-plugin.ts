import { isRecord } from '@coracle/base';
import { asCniError, CniError, cniErrorCodes } from '../cni-error.js';
import { parseResult } from '../parse-result.js';
import type { CniResult } from '../result.js';
import type { PluginHost } from './plugin-host.js';
import type { PluginRequest } from './plugin-request.js';

/** Brings up the loopback interface of a pod. It has no state. */
export const loopbackPlugin = {
  ADD({ netns, config }: PluginRequest, host: PluginHost): CniResult {
    try {
      host.ip(['link set lo up'], netns);
    } catch (error) {
      throw asCniError(error, cniErrorCodes.interfaceSetupFailed);
    }
    if (isRecord(config['prevResult'])) return parseResult(config['prevResult']);
    return {
      interfaces: [{ name: 'lo', mac: '00:00:00:00:00:00', sandbox: netns }],
      ips: ['127.0.0.1/8', '::1/128'].map((address) => ({ address, interface: 0 })),
    };
  },

  /** The interface is removed with its namespace. */
  DEL({ netns }: PluginRequest, host: PluginHost): void {
    if (netns && host.netnsExists(netns)) host.ip(['link set lo down'], netns);
  },

  CHECK({ netns }: PluginRequest, host: PluginHost): void {
    const links = host.ipJson(['link', 'show', 'dev', 'lo', 'up'], netns);
    if (!Array.isArray(links) || !links.some((link) => isRecord(link) && link['ifname'] === 'lo'))
      throw new CniError(cniErrorCodes.checkFailed, 'loopback interface is down');
  },

  STATUS(): void {},

  GC(): void {},
};
