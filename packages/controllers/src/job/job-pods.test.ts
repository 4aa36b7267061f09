import type { Pod } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { finishedAt } from './job-pods.js';

const at = (seconds: number) => formatTime(seconds * 1000);
const container = (finishedSeconds: number | undefined) => ({
  name: 'c',
  image: '',
  imageID: '',
  ready: false,
  restartCount: 0,
  state:
    finishedSeconds === undefined ? { running: {} } : { terminated: { exitCode: 1, finishedAt: at(finishedSeconds) } },
});
const ready = (status: string, seconds: number) => ({ type: 'Ready', status, lastTransitionTime: at(seconds) });

describe('finishedAt', () => {
  test.each<[string, Pod, number]>([
    [
      'the end of the last container',
      {
        metadata: {},
        status: { containerStatuses: [container(20), container(30)], initContainerStatuses: [container(40)] },
      },
      40,
    ],
    [
      'the end of readiness while a container still runs',
      {
        metadata: {},
        status: { containerStatuses: [container(20), container(undefined)], conditions: [ready('False', 25)] },
      },
      25,
    ],
    [
      'the request of deletion of a pod that was ready',
      {
        metadata: { deletionTimestamp: at(130), deletionGracePeriodSeconds: 30, creationTimestamp: at(1) },
        status: { containerStatuses: [container(undefined)], conditions: [ready('True', 5)] },
      },
      100,
    ],
    ['its creation, if nothing else is known', { metadata: { creationTimestamp: at(7) } }, 7],
  ])('is %s', (_name, pod, seconds) => {
    expect(finishedAt(pod)).toBe(seconds * 1000);
  });
});
