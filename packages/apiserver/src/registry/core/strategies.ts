import type { PodTemplate } from '@coracle/api';
import type { Strategy, StrategyTable } from '../strategy.js';
import { eventStrategy } from './event.strategy.js';
import { limitRangeStrategy } from './limit-range.strategy.js';
import { namespaceStrategy } from './namespace.strategy.js';
import { nodeStrategy } from './node.strategy.js';
import { persistentVolumeStrategy } from './persistent-volume.strategy.js';
import { persistentVolumeClaimStrategy } from './persistent-volume-claim.strategy.js';
import { podStrategy } from './pod.strategy.js';
import { templateStrategy } from './pod-template.strategy.js';
import { replicationControllerStrategy } from './replication-controller.strategy.js';
import { serviceStrategy } from './service.strategy.js';
import { serviceAccountStrategy } from './service-account.strategy.js';

const podTemplateStrategy: Strategy<PodTemplate> = templateStrategy(
  { group: '', version: 'v1', kind: 'PodTemplate' },
  ({ template }) => template,
);

/** Resource → its strategy. */
export const strategies: StrategyTable = {
  endpoints: { allowCreateOnUpdate: true },
  events: eventStrategy,
  limitranges: limitRangeStrategy,
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  persistentvolumeclaims: persistentVolumeClaimStrategy,
  persistentvolumes: persistentVolumeStrategy,
  pods: podStrategy,
  podtemplates: podTemplateStrategy,
  replicationcontrollers: replicationControllerStrategy,
  secrets: { selectableFields: { type: ({ type }) => type ?? '' } },
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
};
