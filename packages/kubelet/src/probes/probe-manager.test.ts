import { seededRandom, VirtualClock } from '@coracle/base';
import { ContainerState, type RuntimeService } from '@coracle/cri';
import { expect, onTestFinished, test } from 'vitest';
import { makePod } from '../builders.fixture.js';
import { ProbeCounts } from './probe-counts.js';
import { ProbeManager } from './probe-manager.js';

const containers = [{ name: 'web', readinessProbe: { httpGet: { port: 80 }, periodSeconds: 100 } }];

function probeManager() {
  const clock = new VirtualClock();
  const addresses: string[] = [];
  const manager = new ProbeManager({
    clock,
    random: seededRandom(1),
    runtime: {} as RuntimeService,
    prober: {
      probe: async ({ podIp }) => {
        addresses.push(podIp);
        return { outcome: 'success', output: '' };
      },
      callHook: async () => undefined,
    },
    recorder: { event: () => undefined },
    counts: new ProbeCounts(),
    onChange: () => undefined,
    hostIps: ['192.168.0.7'],
  });
  onTestFinished(() => manager[Symbol.dispose]());
  const running = (id: string, ip: string) => ({
    sandboxes: [{ id: 's1', state: 0 as const, network: { ip } }],
    containers: [
      { id, metadata: { name: 'web' }, state: ContainerState.CONTAINER_RUNNING, startedAt: clock.now() * 1e6 },
    ],
    observedAt: 0,
  });
  return { clock, addresses, manager, running };
}

test('a container is probed at the address of its pod, or of the node whose network the pod shares', async () => {
  const { clock, addresses, manager, running } = probeManager();
  const onHost = makePod({ containers, hostNetwork: true });
  manager.follow(makePod({ containers }), running('c1', '10.0.0.5'));
  manager.follow({ ...onHost, metadata: { ...onHost.metadata, uid: 'uid-2' } }, running('c2', ''));
  await clock.advance(1_000);
  expect(addresses).toEqual(['10.0.0.5', '192.168.0.7']);
});

test('pods that are observed after the kubelet has stopped are not probed', async () => {
  const { clock, addresses, manager, running } = probeManager();
  manager.follow(makePod({ containers }), running('c1', '10.0.0.5'));
  manager[Symbol.dispose]();
  // A pass of a pod was in progress.
  manager.follow(makePod({ containers }), running('c1', '10.0.0.5'));
  expect(clock.pending).toBe(0);
  await clock.advance(1_000);
  expect(addresses).toEqual([]);
});
