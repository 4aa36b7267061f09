import { VirtualClock } from '@coracle/base';
import { describeHostStats } from '@coracle/testing';
import { SimulatedHost } from './simulated-host.js';

describeHostStats('a simulated machine', async () => ({
  source: new SimulatedHost({
    clock: new VirtualClock(),
    capacity: { cpu: '32', memory: '256Gi', 'ephemeral-storage': '500Gi' },
    used: () => ({ memoryBytes: 2 ** 30, diskBytes: 2 ** 31, processes: 12, cpuNanoSeconds: 5e9, cpuCores: 0.25 }),
    annotations: () => undefined,
  }),
  directory: '/var/lib/kubelet',
}));
