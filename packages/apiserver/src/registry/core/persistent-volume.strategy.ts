import type { PersistentVolume } from '@coracle/api';
import { formatTime } from '@coracle/apimachinery';
import type { Strategy } from '../strategy.js';

/** Records when a volume enters each phase. */
export const persistentVolumeStrategy: Strategy<PersistentVolume> = {
  prepareForCreate(volume, { clock }) {
    volume.status = { phase: 'Pending', lastPhaseTransitionTime: formatTime(clock.now()) };
  },

  prepareForStatusUpdate(volume, previous, { clock }) {
    volume.spec = previous.spec ?? {};
    const { status } = volume;
    if (!status || status.phase === previous.status?.phase) return;
    const transitionTime = status.lastPhaseTransitionTime;
    if (transitionTime === undefined || transitionTime === previous.status?.lastPhaseTransitionTime) {
      status.lastPhaseTransitionTime = formatTime(clock.now());
    }
  },
};
