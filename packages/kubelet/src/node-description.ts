import type { Node, NodeSystemInfo } from '@coracle/api';

/** The part of a node's status that does not change while its kubelet runs. */
export interface NodeDescription {
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
  readonly capacity: Readonly<Record<string, string>>;
  /** Allocatable resources; computed from the capacity and the settings if absent. */
  readonly allocatable?: Readonly<Record<string, string>>;
  readonly info: NodeSystemInfo;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: NonNullable<Node['spec']>['taints'];
  readonly podCidr?: string;
  /** Port of the kubelet's server; 0 if it has none. */
  readonly port?: number;
}

export const kubeletVersion = 'v1.36.4';

/** The node object that a kubelet registers. */
export function newNode(name: string, description: NodeDescription): Node {
  const { info, labels, annotations, taints, podCidr } = description;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': info.architecture,
        'beta.kubernetes.io/os': info.operatingSystem,
        'kubernetes.io/arch': info.architecture,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': info.operatingSystem,
        ...labels,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    },
    spec: { ...(podCidr && { podCIDR: podCidr, podCIDRs: [podCidr] }), ...(taints && { taints }) },
  };
}
