import type { TablePrinter } from '@coracle/apimachinery';
import { none, unset } from '../../columns/cell-text.js';
import { age, boolean, integer, name, naming, plainPrinter, tablePrinter, text } from '../../columns/table-printer.js';
import type {
  CSIDriver,
  CSINode,
  StorageClass,
  VolumeAttachment,
  VolumeAttributesClass,
} from '../../generated/types/storage-v1.js';

const defaultAnnotations = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

const storageClassPrinter = tablePrinter<StorageClass>([
  {
    ...name,
    cell: ({ metadata }) => {
      const isDefault = defaultAnnotations.some((annotation) => metadata.annotations?.[annotation] === 'true');
      return isDefault ? `${metadata.name} (default)` : (metadata.name ?? '');
    },
  },
  text('Provisioner', 'What makes the volumes.', ({ provisioner }) => provisioner),
  text('ReclaimPolicy', 'What becomes of a volume without a claim.', ({ reclaimPolicy }) => reclaimPolicy ?? 'Delete'),
  text('VolumeBindingMode', 'When volumes are made.', ({ volumeBindingMode }) => volumeBindingMode ?? 'Immediate'),
  text(
    'AllowVolumeExpansion',
    'Whether volumes can grow.',
    ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false,
  ),
  age,
]);

const csiDriverPrinter = tablePrinter<CSIDriver>([
  name,
  boolean('AttachRequired', 'Whether volumes are attached first.', ({ spec }) => spec.attachRequired ?? true),
  boolean(
    'PodInfoOnMount',
    'Whether it receives information about the pod.',
    ({ spec }) => spec.podInfoOnMount ?? false,
  ),
  boolean('StorageCapacity', 'Whether it tells its capacity.', ({ spec }) => spec.storageCapacity ?? false),
  text('TokenRequests', 'The audiences of the tokens that it gets.', ({ spec }) =>
    spec.tokenRequests ? spec.tokenRequests.map(({ audience }) => audience).join(',') : unset,
  ),
  boolean('RequiresRepublish', 'Whether it is called again and again.', ({ spec }) => spec.requiresRepublish ?? false),
  text('Modes', 'How long its volumes live.', ({ spec }) => (spec.volumeLifecycleModes ?? []).join(',') || none),
  age,
]);

const csiNodePrinter = tablePrinter<CSINode>([
  name,
  integer('Drivers', 'How many drivers the node has.', ({ spec }) => spec.drivers.length),
  age,
]);

const volumeAttachmentPrinter = tablePrinter<VolumeAttachment>([
  name,
  naming(text('Attacher', 'What attaches the volume.', ({ spec }) => spec.attacher)),
  text('PV', 'The volume.', ({ spec }) => spec.source.persistentVolumeName ?? ''),
  text('Node', 'The node.', ({ spec }) => spec.nodeName),
  boolean('Attached', 'Whether it is attached.', ({ status }) => status?.attached ?? false),
  age,
]);

const volumeAttributesClassPrinter = tablePrinter<VolumeAttributesClass>([
  name,
  text('DriverName', 'The driver that understands the attributes.', ({ driverName }) => driverName),
  age,
]);

export const printers: Readonly<Record<string, TablePrinter>> = {
  CSIDriver: csiDriverPrinter,
  CSINode: csiNodePrinter,
  CSIStorageCapacity: plainPrinter,
  StorageClass: storageClassPrinter,
  VolumeAttachment: volumeAttachmentPrinter,
  VolumeAttributesClass: volumeAttributesClassPrinter,
};
