import { generateJobSelector, type Job } from '@coracle/api';
import type { Strategy } from '../strategy.js';

/** Pods of a deleted job stay unless the client says otherwise, as they did before there was a choice. */
export const jobStrategy: Strategy<Job> = {
  hasGeneration: true,
  defaultPropagation: 'Orphan',

  prepareForCreate(job) {
    job.status = {};
    if (!job.spec?.manualSelector) generateJobSelector(job);
  },

  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
};
