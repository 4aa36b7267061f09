import { type ReplicationController, refs } from '@coracle/api';
import type { Controller } from '../controller.js';
import { ownerSelector } from '../pod-owners.js';
import { replicaController } from '../replicaset/replicaset-controller.js';

/** Keeps as many pods alive as a replication controller requests: the predecessor of the replica set. */
export const replicationController: Controller = replicaController<ReplicationController>({
  name: 'replicationcontroller-controller',
  account: 'replication-controller',
  component: 'replication-controller',
  queue: 'replicationmanager',
  ref: refs.replicationControllers,
  apiVersion: 'v1',
  kind: 'ReplicationController',
  selectorOf: ({ spec }) => ownerSelector({ matchLabels: spec?.selector ?? {} }),
  countsTerminating: false,
});
