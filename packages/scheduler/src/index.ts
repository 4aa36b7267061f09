export { NodeInfo } from './cache/node-info.js';
export { type PodInfo, podInfoOf } from './cache/pod-info.js';
export { parseConfiguration } from './config/parse-configuration.js';
export type * from './config/scheduler-configuration.js';
export { CycleState, type StateKey, stateKey } from './framework/cycle-state.js';
export type * from './framework/plugin.js';
export { makeProfile, type Profile, type ProfileEntry } from './framework/profile.js';
export { fits, unresolvable, unschedulable, type Verdict } from './framework/verdict.js';
export { createScheduler, type Scheduler, type SchedulerOptions } from './scheduler.js';
