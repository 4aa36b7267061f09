import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodSpec, PodStatus } from '../../generated/types/core-v1.js';
import { podPrinter } from './pod.columns.js';

const now = Date.parse('2026-01-01T12:00:00Z');
const running = { running: { startedAt: '2026-01-01T11:00:00Z' } };
const waiting = (reason: string) => ({ waiting: { reason } });
const ended = (exitCode: number, reason?: string, signal?: number) => ({
  terminated: { exitCode, ...(reason !== undefined && { reason }), ...(signal !== undefined && { signal }) },
});
const ready = { type: 'Ready', status: 'True' };
const initialized = { type: 'Initialized', status: 'True' };

function container(state: ContainerStatus['state'], more: Partial<ContainerStatus> = {}): ContainerStatus {
  const isReady = state?.running !== undefined;
  return {
    name: 'app',
    image: 'nginx',
    imageID: '',
    ready: isReady,
    restartCount: 0,
    ...(state && { state }),
    ...more,
  };
}

function pod(status: PodStatus, spec: Partial<PodSpec> = {}, metadata: Pod['metadata'] = {}): Pod {
  return {
    metadata: { name: 'web-1', creationTimestamp: '2026-01-01T09:00:00Z', ...metadata },
    spec: { containers: [{ name: 'app', image: 'nginx' }], ...spec },
    status,
  };
}

const twoContainers = {
  containers: [
    { name: 'app', image: 'nginx' },
    { name: 'log', image: 'fluentd' },
  ],
};
const twoInits = {
  initContainers: [
    { name: 'init-1', image: 'a' },
    { name: 'init-2', image: 'b' },
  ],
};
const sidecar = { initContainers: [{ name: 'mesh', image: 'envoy', restartPolicy: 'Always' }] };
const deleted = { deletionTimestamp: '2026-01-01T11:59:00Z' };

describe('the columns of a pod', () => {
  it.each<readonly [string, Pod, readonly unknown[]]>([
    ['one that no node has', pod({ phase: 'Pending' }), ['0/1', 'Pending', '0']],
    [
      'one that is held back',
      pod({ phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }),
      ['0/1', 'SchedulingGated', '0'],
    ],
    [
      'one whose containers are being made',
      pod({ phase: 'Pending', containerStatuses: [container(waiting('ContainerCreating'))] }),
      ['0/1', 'ContainerCreating', '0'],
    ],
    [
      'one that runs',
      pod({ phase: 'Running', conditions: [ready], containerStatuses: [container(running)] }),
      ['1/1', 'Running', '0'],
    ],
    [
      'one that is not ready',
      pod({ phase: 'Running', containerStatuses: [container(running, { ready: false })] }),
      ['0/1', 'Running', '0'],
    ],
    [
      'one that fails again and again',
      pod({
        phase: 'Running',
        containerStatuses: [
          container(waiting('CrashLoopBackOff'), {
            restartCount: 3,
            lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T11:55:00Z' } },
          }),
        ],
      }),
      ['0/1', 'CrashLoopBackOff', '3 (5m ago)'],
    ],
    [
      'one that was started again at an unknown time',
      pod({ phase: 'Running', containerStatuses: [container(running, { restartCount: 2 })] }),
      ['1/1', 'Running', '2'],
    ],
    [
      'one that has completed',
      pod({ phase: 'Succeeded', containerStatuses: [container(ended(0, 'Completed'))] }),
      ['0/1', 'Completed', '0'],
    ],
    [
      'one that has failed',
      pod({ phase: 'Failed', containerStatuses: [container(ended(1, 'Error'))] }),
      ['0/1', 'Error', '0'],
    ],
    [
      'one that ended with a code alone',
      pod({ phase: 'Failed', containerStatuses: [container(ended(3))] }),
      ['0/1', 'ExitCode:3', '0'],
    ],
    [
      'one that a signal ended',
      pod({ phase: 'Failed', containerStatuses: [container(ended(137, '', 9))] }),
      ['0/1', 'Signal:9', '0'],
    ],
    [
      'one of which the first container tells',
      pod(
        { phase: 'Running', containerStatuses: [container(waiting('ErrImagePull')), container(waiting('Other'))] },
        twoContainers,
      ),
      ['0/2', 'ErrImagePull', '0'],
    ],
    [
      'one of which a part has completed and the rest is ready',
      pod(
        {
          phase: 'Running',
          conditions: [ready],
          containerStatuses: [container(ended(0, 'Completed')), container(running)],
        },
        twoContainers,
      ),
      ['1/2', 'Running', '0'],
    ],
    [
      'one of which a part has completed and the rest runs',
      pod(
        { phase: 'Running', containerStatuses: [container(ended(0, 'Completed')), container(running)] },
        twoContainers,
      ),
      ['1/2', 'NotReady', '0'],
    ],
    [
      'one of which a part has completed and a part failed',
      pod(
        { phase: 'Failed', containerStatuses: [container(ended(0, 'Completed')), container(ended(1, 'Error'))] },
        twoContainers,
      ),
      ['0/2', 'Error', '0'],
    ],
    ['one that was evicted', pod({ phase: 'Failed', reason: 'Evicted' }), ['0/1', 'Evicted', '0']],
    [
      'one that is being deleted',
      pod({ phase: 'Running', containerStatuses: [container(running)] }, {}, deleted),
      ['1/1', 'Terminating', '0'],
    ],
    [
      'one that has completed and is being deleted',
      pod({ phase: 'Succeeded', containerStatuses: [container(ended(0, 'Completed'))] }, {}, deleted),
      ['0/1', 'Completed', '0'],
    ],
    ['one on a lost node', pod({ phase: 'Running', reason: 'NodeLost' }, {}, deleted), ['0/1', 'Unknown', '0']],
    [
      'one whose first init container runs',
      pod(
        { phase: 'Pending', initContainerStatuses: [container(running), container(waiting('PodInitializing'))] },
        twoInits,
      ),
      ['0/1', 'Init:0/2', '0'],
    ],
    [
      'one whose second init container runs',
      pod({ phase: 'Pending', initContainerStatuses: [container(ended(0)), container(running)] }, twoInits),
      ['0/1', 'Init:1/2', '0'],
    ],
    [
      'one whose init container failed',
      pod({ phase: 'Pending', initContainerStatuses: [container(ended(1, 'Error'))] }, twoInits),
      ['0/1', 'Init:Error', '0'],
    ],
    [
      'one whose init container ended with a code',
      pod({ phase: 'Pending', initContainerStatuses: [container(ended(2))] }, twoInits),
      ['0/1', 'Init:ExitCode:2', '0'],
    ],
    [
      'one whose init container a signal ended',
      pod({ phase: 'Pending', initContainerStatuses: [container(ended(143, '', 15))] }, twoInits),
      ['0/1', 'Init:Signal:15', '0'],
    ],
    [
      'one whose init container fails again and again',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [
            container(waiting('CrashLoopBackOff'), {
              restartCount: 2,
              lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T11:59:30Z' } },
            }),
          ],
          containerStatuses: [container(waiting('PodInitializing'))],
        },
        twoInits,
      ),
      ['0/1', 'Init:CrashLoopBackOff', '2 (30s ago)'],
    ],
    [
      'one whose init containers are done',
      pod(
        {
          phase: 'Pending',
          initContainerStatuses: [container(ended(0), { restartCount: 4 }), container(ended(0))],
          containerStatuses: [container(waiting('PodInitializing'))],
        },
        twoInits,
      ),
      ['0/1', 'PodInitializing', '0'],
    ],
    [
      'one with a sidecar',
      pod(
        {
          phase: 'Running',
          conditions: [ready, initialized],
          initContainerStatuses: [container(running, { name: 'mesh', started: true, restartCount: 1 })],
          containerStatuses: [container(running, { restartCount: 2 })],
        },
        sidecar,
      ),
      ['2/2', 'Running', '3'],
    ],
    [
      'one whose sidecar has not started',
      pod({ phase: 'Pending', initContainerStatuses: [container(running, { name: 'mesh', started: false })] }, sidecar),
      ['0/2', 'Init:0/1', '0'],
    ],
    [
      'one whose sidecar failed after all had started',
      pod(
        {
          phase: 'Running',
          conditions: [initialized],
          initContainerStatuses: [container(waiting('CrashLoopBackOff'), { name: 'mesh', started: false })],
          containerStatuses: [container(running)],
        },
        sidecar,
      ),
      ['1/2', 'Init:CrashLoopBackOff', '0'],
    ],
  ])('of %s', (_, object, cells) => {
    expect(podPrinter.cells(object, now).slice(1, 4)).toEqual(cells);
  });

  it('show where it runs in wide tables', () => {
    const gates = { readinessGates: [{ conditionType: 'lb' }, { conditionType: 'dns' }], nodeName: 'node-1' };
    const status = {
      phase: 'Running',
      podIPs: [{ ip: '10.0.0.7' }, { ip: 'fd00::7' }],
      nominatedNodeName: 'node-2',
      conditions: [{ type: 'lb', status: 'True' }],
    };
    const cells = ['web-1', '0/1', 'Running', '0', '3h', '10.0.0.7', 'node-1', 'node-2', '1/2'];
    expect(podPrinter.cells(pod(status, gates), now)).toEqual(cells);
    expect(podPrinter.cells(pod({}), now).slice(5)).toEqual(['<none>', '<none>', '<none>', '<none>']);
  });

  it('change with time only in restarts and age', () => {
    expect(podPrinter.timed.map((column) => podPrinter.columns[column]?.name)).toEqual(['Restarts', 'Age']);
  });

  it.each([
    ['Succeeded', 'The pod has completed successfully.'],
    ['Failed', 'The pod failed.'],
  ])('mark the row of a pod that has %s', (phase, message) => {
    const conditions = [{ type: 'Completed', status: 'True', reason: phase, message }];
    expect(podPrinter.conditions?.(pod({ phase }))).toEqual(conditions);
    expect(podPrinter.conditions?.(pod({ phase: 'Running' }))).toBeUndefined();
  });
});
