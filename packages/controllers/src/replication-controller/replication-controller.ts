import { type ReplicationController, refs } from '@coracle/api';
import { LabelSelector } from '@coracle/apimachinery';
import type { Controller } from '../controller.js';
import { nonEmpty, replicaController } from '../replicaset/replicaset-controller.js';

/** Keeps as many pods alive as a replication controller asks for: the elder of the replica set. */
export const replicationController: Controller = replicaController<ReplicationController>({
  name: 'replication-controller',
  queue: 'replicationmanager',
  ref: refs.replicationControllers,
  owner: { apiVersion: 'v1', kind: 'ReplicationController' },
  selectorOf: ({ spec }) => nonEmpty(LabelSelector.fromLabels(spec?.selector ?? {})),
  countsTerminating: false,
});
