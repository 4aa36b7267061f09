import { generateJobSelector, type Job } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';

/** Pods of a deleted job stay unless the client says otherwise, as they did before there was a choice. */
export const jobStrategy: Strategy<Job> = templateStrategy<Job>(
  { group: 'batch', version: 'v1', kind: 'Job' },
  ({ spec }) => spec?.template,
  {
    defaultPropagation: 'Orphan',
    prepareForCreate(job) {
      if (!job.spec?.manualSelector) generateJobSelector(job);
    },
    canonicalize: nullEmptyLists('spec.podFailurePolicy.rules'),
    selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  },
);
