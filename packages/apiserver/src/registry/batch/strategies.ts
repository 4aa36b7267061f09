import type { CronJob } from '@coracle/api';
import { templateStrategy } from '../core/pod-template.strategy.js';
import type { Strategy, StrategyTable } from '../strategy.js';
import { jobStrategy } from './job.strategy.js';

const cronJobStrategy: Strategy<CronJob> = templateStrategy(
  { group: 'batch', version: 'v1', kind: 'CronJob' },
  ({ spec }) => spec?.jobTemplate?.spec?.template,
);

/** Resource → its strategy. */
export const strategies: StrategyTable = { cronjobs: cronJobStrategy, jobs: jobStrategy };
