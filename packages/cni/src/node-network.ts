import type { JsonObject } from '@coracle/base';

export interface NodeNetworkOptions {
  /** The node's pod ranges, one of each family at the most. */
  readonly podCidrs: readonly string[];
  /** Networks that pods reach with their own addresses: the pod ranges of the whole cluster. */
  readonly clusterCidrs: readonly string[];
  readonly bridge?: string;
  /** Left to the plugin unless stated. */
  readonly mtu?: number;
  readonly dataDir?: string;
}

/** The name of the network, and of its configuration file. */
export const nodeNetworkName = 'coracle';
export const nodeNetworkFile = '10-coracle.conflist';
export const defaultBridge = 'coracle0';

/** The network configuration that a node writes when its pod ranges are known. */
export function nodeNetworkConfig(options: NodeNetworkOptions): JsonObject {
  const { podCidrs, clusterCidrs, bridge = defaultBridge, mtu, dataDir } = options;
  return {
    // containerd before 2.0 supports no later one.
    cniVersion: '1.0.0',
    name: nodeNetworkName,
    plugins: [
      {
        type: 'coracle-cni',
        bridge,
        ...(mtu !== undefined && { mtu }),
        ipMasq: true,
        ipMasqExcept: [...clusterCidrs],
        ipam: {
          ranges: podCidrs.map((subnet) => [{ subnet }]),
          ...(dataDir !== undefined && { dataDir }),
        },
        capabilities: { portMappings: true, bandwidth: true, dns: true },
      },
    ],
  };
}
