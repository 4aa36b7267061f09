import type { CronJob } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy } from '../strategy.js';
import { jobStrategy } from './job.strategy.js';

const cronJobStrategy: Strategy<CronJob> = templateStrategy(
  { group: 'batch', version: 'v1', kind: 'CronJob' },
  ({ spec }) => spec?.jobTemplate?.spec?.template,
);

/** Resource → what it does differently. */
// biome-ignore lint/suspicious/noExplicitAny: a table of strategies for different types
export const strategies: Readonly<Record<string, Strategy<any>>> = { cronjobs: cronJobStrategy, jobs: jobStrategy };
