import { findCondition, type TablePrinter } from '@coracle/apimachinery';
import { containerImages, containerNames, formatLabels } from '../../columns/cell-text.js';
import { age, integer, name, plainPrinter, tablePrinter, text, wide } from '../../columns/table-printer.js';
import { templateColumns } from '../../columns/workload-columns.js';
import type {
  ComponentStatus,
  ConfigMap,
  Namespace,
  PodTemplate,
  ReplicationController,
  Secret,
} from '../../generated/types/core-v1.js';
import { endpointsPrinter } from './endpoints.columns.js';
import { eventPrinter } from './event.columns.js';
import { nodePrinter } from './node.columns.js';
import { persistentVolumeClaimPrinter, persistentVolumePrinter } from './persistent-volume.columns.js';
import { podPrinter } from './pod.columns.js';
import { resourceQuotaPrinter } from './resource-quota.columns.js';
import { servicePrinter } from './service.columns.js';

const namespacePrinter = tablePrinter<Namespace>([
  name,
  text('Status', 'Whether it is active or being deleted.', ({ status }) => status?.phase ?? ''),
  age,
]);

const secretPrinter = tablePrinter<Secret>([
  name,
  text('Type', 'What the data is for.', ({ type }) => type ?? ''),
  text('Data', 'The number of entries.', ({ data }) => Object.keys(data ?? {}).length),
  age,
]);

const configMapPrinter = tablePrinter<ConfigMap>([
  name,
  text(
    'Data',
    'The number of entries.',
    ({ data, binaryData }) => Object.keys(data ?? {}).length + Object.keys(binaryData ?? {}).length,
  ),
  age,
]);

const podTemplatePrinter = tablePrinter<PodTemplate>([
  name,
  text('Containers', 'The names of the containers.', ({ template }) => containerNames(template?.spec)),
  text('Images', 'The images of the containers.', ({ template }) => containerImages(template?.spec)),
  text('Pod Labels', 'The labels of the pods.', ({ template }) => formatLabels(template?.metadata?.labels)),
]);

const replicationControllerPrinter = tablePrinter<ReplicationController>([
  name,
  integer('Desired', 'How many pods there should be.', ({ spec }) => spec?.replicas ?? 0),
  integer('Current', 'How many pods there are.', ({ status }) => status?.replicas ?? 0),
  integer('Ready', 'How many pods are ready.', ({ status }) => status?.readyReplicas ?? 0),
  age,
  ...templateColumns<ReplicationController>(({ spec }) => spec?.template),
  wide(text('Selector', 'The labels of the pods.', ({ spec }) => formatLabels(spec?.selector))),
]);

const componentStatusPrinter = tablePrinter<ComponentStatus>([
  name,
  text('Status', 'Whether it is healthy.', ({ conditions }) => {
    const healthy = findCondition(conditions, 'Healthy');
    if (!healthy) return 'Unknown';
    return healthy.status === 'True' ? 'Healthy' : 'Unhealthy';
  }),
  text('Message', 'What it says.', ({ conditions }) => findCondition(conditions, 'Healthy')?.message ?? ''),
  text('Error', 'What is wrong.', ({ conditions }) => findCondition(conditions, 'Healthy')?.error ?? ''),
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  ComponentStatus: componentStatusPrinter,
  ConfigMap: configMapPrinter,
  Endpoints: endpointsPrinter,
  Event: eventPrinter,
  LimitRange: plainPrinter,
  Namespace: namespacePrinter,
  Node: nodePrinter,
  PersistentVolume: persistentVolumePrinter,
  PersistentVolumeClaim: persistentVolumeClaimPrinter,
  Pod: podPrinter,
  PodTemplate: podTemplatePrinter,
  ReplicationController: replicationControllerPrinter,
  ResourceQuota: resourceQuotaPrinter,
  Secret: secretPrinter,
  Service: servicePrinter,
  ServiceAccount: tablePrinter([name, age]),
};
