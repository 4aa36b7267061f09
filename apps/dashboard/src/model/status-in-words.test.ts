import { expect, test } from 'vitest';
import { en } from '../words/en.js';
import { type AnyKube, lookOf, statusNotesOf } from './status-in-words.js';

const pod = (status: object, spec: object = { nodeName: 'n1' }) => ({ metadata: {}, spec, status }) as AnyKube;

test.each<[string, AnyKube, string, string, string]>([
  [
    'a pod that runs',
    pod({ phase: 'Running', containerStatuses: [{ name: 'c', ready: true, state: { running: {} } }] }),
    'Pod',
    'running',
    'It runs on n1, and all its containers are ready.',
  ],
  [
    'a pod without a node',
    pod({ conditions: [{ type: 'PodScheduled', status: 'False', message: '0/3 nodes are available' }] }, {}),
    'Pod',
    'waiting',
    'It is not scheduled: 0/3 nodes are available',
  ],
  [
    'a gated pod',
    pod({ phase: 'Pending' }, { schedulingGates: [{ name: 'quota' }] }),
    'Pod',
    'waiting',
    'It waits for the scheduling gates quota.',
  ],
  [
    'a container that crashes',
    pod({
      phase: 'Running',
      containerStatuses: [
        {
          name: 'c',
          restartCount: 3,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: { terminated: { reason: 'Error', exitCode: 1 } },
        },
      ],
    }),
    'Pod',
    'failing',
    'Container c waits: CrashLoopBackOff; it ended last with Error (1); 3 restarts.',
  ],
  [
    'a probe that fails',
    pod({ phase: 'Running', containerStatuses: [{ name: 'c', ready: false, state: { running: {} } }] }),
    'Pod',
    'waiting',
    'Container c runs, but its readiness probe has not succeeded.',
  ],
  ['a pod that is done', pod({ phase: 'Succeeded' }), 'Pod', 'done', 'All containers have terminated successfully.'],
  [
    'replicas that are missing',
    pod({ readyReplicas: 1 }, { replicas: 3 }),
    'Deployment',
    'waiting',
    '1 of 3 replicas are ready.',
  ],
  [
    'a node under pressure',
    pod(
      {
        conditions: [
          { type: 'MemoryPressure', status: 'True', message: 'low' },
          { type: 'Ready', status: 'True' },
        ],
      },
      {},
    ),
    'Node',
    'failing',
    'MemoryPressure is True: low',
  ],
  [
    'finalizers',
    { metadata: { deletionTimestamp: 'now', finalizers: ['a/b'] } },
    'Namespace',
    'ending',
    'It is being deleted and waits for the finalizers a/b.',
  ],
  ['an object without a status', { metadata: {} }, 'ConfigMap', 'running', 'It exists, and reports no problems.'],
])('%s', (_, object, kind, look, sentence) => {
  const notes = statusNotesOf(object, kind);
  expect({ look: lookOf(notes), sentence: notes[0] && en.statusNote(notes[0]) }).toEqual({ look, sentence });
});

test.each(['True', 'False'])('an autoscaler at or within its bounds (ScalingLimited %s) is fine', (status) => {
  const conditions = [
    { type: 'ScalingActive', status: 'True' },
    { type: 'ScalingLimited', status, message: 'the desired count' },
  ];
  const notes = statusNotesOf({ metadata: { name: 'api' }, status: { conditions } }, 'HorizontalPodAutoscaler');
  expect(notes.map(({ says }) => says)).toEqual(['fine']);
});

test('a node with the condition Ready is ready', () => {
  const conditions = [
    { type: 'MemoryPressure', status: 'False' },
    { type: 'Ready', status: 'True' },
  ];
  const notes = statusNotesOf({ metadata: { name: 'n1' }, status: { conditions } }, 'Node');
  expect(notes.map(({ says }) => says)).toEqual(['ready']);
});
