import { controllerOf, LabelSelector, parseApiVersion, type TablePrinter } from '@coracle/apimachinery';
import { formatLabels, none } from '../../columns/cell-text.js';
import { age, integer, name, tablePrinter, text, wide } from '../../columns/table-printer.js';
import { selectorColumn, templateColumns } from '../../columns/workload-columns.js';
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  ReplicaSet,
  StatefulSet,
} from '../../generated/types/apps-v1.js';

const deploymentPrinter = tablePrinter<Deployment>([
  name,
  text(
    'Ready',
    'The pods that are ready, of those there should be.',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  ),
  text('Up-to-date', 'How many pods have the present template.', ({ status }) => status?.updatedReplicas ?? 0),
  text('Available', 'How many pods are available.', ({ status }) => status?.availableReplicas ?? 0),
  age,
  ...templateColumns<Deployment>(({ spec }) => spec?.template),
  wide(text('Selector', 'The labels of the pods.', ({ spec }) => LabelSelector.fromObject(spec?.selector).toString())),
]);

const replicaSetPrinter = tablePrinter<ReplicaSet>([
  name,
  integer('Desired', 'How many pods there should be.', ({ spec }) => spec?.replicas ?? 0),
  integer('Current', 'How many pods there are.', ({ status }) => status?.replicas ?? 0),
  integer('Ready', 'How many pods are ready.', ({ status }) => status?.readyReplicas ?? 0),
  age,
  ...templateColumns<ReplicaSet>(({ spec }) => spec?.template),
  selectorColumn(({ spec }) => spec?.selector),
]);

const statefulSetPrinter = tablePrinter<StatefulSet>([
  name,
  text(
    'Ready',
    'The pods that are ready, of those there should be.',
    ({ spec, status }) => `${status?.readyReplicas ?? 0}/${spec?.replicas ?? 0}`,
  ),
  age,
  ...templateColumns<StatefulSet>(({ spec }) => spec?.template),
]);

const daemonSetPrinter = tablePrinter<DaemonSet>([
  name,
  integer('Desired', 'How many nodes should have a pod.', ({ status }) => status?.desiredNumberScheduled ?? 0),
  integer('Current', 'How many of these nodes have one.', ({ status }) => status?.currentNumberScheduled ?? 0),
  integer('Ready', 'How many of these pods are ready.', ({ status }) => status?.numberReady ?? 0),
  integer('Up-to-date', 'How many have the present template.', ({ status }) => status?.updatedNumberScheduled ?? 0),
  integer('Available', 'How many are available.', ({ status }) => status?.numberAvailable ?? 0),
  text('Node Selector', 'The labels of the nodes.', ({ spec }) => formatLabels(spec?.template.spec?.nodeSelector)),
  age,
  ...templateColumns<DaemonSet>(({ spec }) => spec?.template),
  selectorColumn(({ spec }) => spec?.selector),
]);

const controllerRevisionPrinter = tablePrinter<ControllerRevision>([
  name,
  text('Controller', 'Whose revision it is.', controllerName),
  text('Revision', 'The number of the revision.', ({ revision }) => revision),
  age,
]);

/** `statefulset.apps/web` */
function controllerName(revision: ControllerRevision): string {
  const owner = controllerOf(revision);
  if (!owner) return none;
  const group = parseApiVersion(owner.apiVersion)?.group;
  return `${(group ? `${owner.kind}.${group}` : owner.kind).toLowerCase()}/${owner.name}`;
}

export const printers: Readonly<Record<string, TablePrinter>> = {
  ControllerRevision: controllerRevisionPrinter,
  DaemonSet: daemonSetPrinter,
  Deployment: deploymentPrinter,
  ReplicaSet: replicaSetPrinter,
  StatefulSet: statefulSetPrinter,
};
