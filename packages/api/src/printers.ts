import type { GroupVersionKind, TablePrinter } from '@coracle/apimachinery';
import { printers as admissionregistration } from './admissionregistration/v1/printers.js';
import { printers as apiregistration } from './apiregistration/v1/printers.js';
import { printers as apiserverinternal } from './apiserverinternal/v1alpha1/printers.js';
import { printers as apps } from './apps/v1/printers.js';
import { printers as autoscaling } from './autoscaling/v2/printers.js';
import { printers as batch } from './batch/v1/printers.js';
import { printers as certificates } from './certificates/v1/printers.js';
import { plainPrinter } from './columns/table-printer.js';
import { printers as coordination } from './coordination/v1/printers.js';
import { printers as core } from './core/v1/printers.js';
import { printers as discovery } from './discovery/v1/printers.js';
import { printers as flowcontrol } from './flowcontrol/v1/printers.js';
import { printers as networking } from './networking/v1/printers.js';
import { printers as node } from './node/v1/printers.js';
import { printers as policy } from './policy/v1/printers.js';
import { printers as rbac } from './rbac/v1/printers.js';
import { printers as resource } from './resource/v1/printers.js';
import { printers as scheduling } from './scheduling/v1/printers.js';
import { printers as storage } from './storage/v1/printers.js';
import { printers as storagemigration } from './storagemigration/v1beta1/printers.js';

/** By group: what is shown of a kind is the same in all its versions. */
const printersByGroup: Readonly<Record<string, Readonly<Record<string, TablePrinter>>>> = {
  '': core,
  'admissionregistration.k8s.io': admissionregistration,
  'apiregistration.k8s.io': apiregistration,
  apps,
  autoscaling,
  batch,
  'certificates.k8s.io': certificates,
  'coordination.k8s.io': coordination,
  'discovery.k8s.io': discovery,
  'flowcontrol.apiserver.k8s.io': flowcontrol,
  'internal.apiserver.k8s.io': apiserverinternal,
  'networking.k8s.io': networking,
  'node.k8s.io': node,
  policy,
  'rbac.authorization.k8s.io': rbac,
  'resource.k8s.io': resource,
  'scheduling.k8s.io': scheduling,
  'storage.k8s.io': storage,
  'storagemigration.k8s.io': storagemigration,
};

/**
 * The columns of a built-in kind; name and age if it has no others. The objects are those that are stored: autoscalers
 * of v2, events of core.
 */
export function tablePrinterOf({ group, kind }: Pick<GroupVersionKind, 'group' | 'kind'>): TablePrinter {
  return printersByGroup[group]?.[kind] ?? plainPrinter;
}
