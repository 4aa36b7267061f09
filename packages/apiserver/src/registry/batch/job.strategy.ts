import { generateJobSelector, type Job } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import { nullEmptyLists } from '../null-empty-lists.js';
import type { Strategy } from '../strategy.js';

/** By default pods of a deleted job are orphaned, for compatibility. */
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
