import { join } from 'node:path';
import { type Clock, DisposableStack, type Logger } from '@coracle/base';
import type { Client } from '@coracle/client';
import {
  type Checkpoints,
  ClaimManager,
  DeviceManager,
  type Kubelet,
  labelTopology,
  type NodeDriver,
  publishCsiNode,
} from '@coracle/kubelet';
import { ClaimDrivers, CsiDrivers, DevicePlugins, PluginWatcher, servePodResources } from '@coracle/platform-nodejs';

export interface NodePluginsOptions {
  readonly nodeName: string;
  readonly client: Client;
  /** Everything that the kubelet keeps. */
  readonly root: string;
  readonly checkpoints: Checkpoints;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly kubelet: () => Kubelet;
}

/** Everything that adds to a node by a socket: CSI drivers, device plugins and drivers of dynamic resources. */
export interface NodePlugins extends AsyncDisposable {
  readonly drivers: CsiDrivers;
  readonly devices: DeviceManager;
  readonly claims: ClaimManager;
  /** Once the kubelet runs. */
  start(): Promise<void>;
}

export function createNodePlugins(options: NodePluginsOptions): NodePlugins {
  const { nodeName, client, root, clock, logger, kubelet, checkpoints } = options;
  const stack = new DisposableStack();
  const onChange = async (present: ReadonlyMap<string, NodeDriver>) => {
    await publishCsiNode(client, nodeName, present);
    await labelTopology(client, nodeName, present);
  };
  const drivers = stack.use(new CsiDrivers({ logger, onChange }));
  const devices = stack.use(new DeviceManager({ checkpoints, clock, logger, onChange: () => kubelet().report() }));
  const claimDrivers = stack.use(new ClaimDrivers());
  const claims = new ClaimManager({ client, checkpoints, logger, driverOf: (name) => claimDrivers.get(name) });
  const devicePlugins = stack.use(new DevicePlugins({ root, manager: devices, logger }));
  const handlers = { CSIPlugin: drivers, DevicePlugin: devicePlugins, DRAPlugin: claimDrivers };
  const folder = join(root, 'plugins_registry');
  const watcher = stack.use(new PluginWatcher({ folder, clock, logger, handlers }));
  return {
    drivers,
    devices,
    claims,
    start: async () => {
      await onChange(new Map());
      await devicePlugins.start();
      await watcher.start();
      const pods = () => kubelet().pods();
      const pinned = {
        cpus: () => [...(kubelet().pinning?.cpus?.shared() ?? [])],
        cpusOf: (uid: string, container: string) => kubelet().pinning?.cpus?.of(uid, container) ?? [],
      };
      stack.use(await servePodResources({ root, devices, claims, pods, ...pinned }));
    },
    [Symbol.asyncDispose]: () => stack[Symbol.asyncDispose](),
  };
}
