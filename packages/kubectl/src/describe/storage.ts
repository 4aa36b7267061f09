import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { ageOf, askForItems, type Describer, type DescribeTools, writeEvents } from './tools.js';
import { accessModesText, writeVolumeSource } from './volumes.js';
import {
  type DescribeWriter,
  formatMap,
  formatTimestamp,
  orNone,
  writeAnnotations,
  writeHead,
  writeLabels,
  writeMultiline,
} from './writer.js';

export const describePersistentVolume: Describer = async (object, w, tools) => {
  const spec = recordAt(object, 'spec');
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
  w.write(0, `Finalizers:\t[${textsAt(object, 'metadata', 'finalizers').join(' ')}]`);
  w.write(0, `StorageClass:\t${textAt(spec, 'storageClassName')}`);
  w.write(0, `Status:\t${statusOf(object, tools)}`);
  const claim = recordAt(spec, 'claimRef');
  w.write(0, `Claim:\t${textAt(claim, 'name') === '' ? '' : `${textAt(claim, 'namespace')}/${textAt(claim, 'name')}`}`);
  w.write(0, `Reclaim Policy:\t${textAt(spec, 'persistentVolumeReclaimPolicy')}`);
  w.write(0, `Access Modes:\t${accessModesText(textsAt(spec, 'accessModes'))}`);
  w.optional(0, 'VolumeMode', textAt(spec, 'volumeMode'));
  w.write(0, `Capacity:\t${textAt(spec, 'capacity', 'storage')}`);
  writeNodeAffinity(
    w,
    recordsAt(spec, 'nodeAffinity', 'required', 'nodeSelectorTerms'),
    spec['nodeAffinity'] !== undefined,
  );
  w.write(0, `Message:\t${textAt(object, 'status', 'message')}`);
  w.write(0, 'Source:');
  writeVolumeSource(w, spec, 2);
  await writeEvents(w, object, tools);
};

function writeNodeAffinity(w: DescribeWriter, terms: readonly Fields[], isSet: boolean): void {
  if (!isSet) {
    w.write(0, 'Node Affinity:\t<none>');
    return;
  }
  w.write(0, 'Node Affinity:\t');
  w.write(1, `Required Terms:\t${terms.length === 0 ? '<none>' : ''}`);
  terms.forEach((term, i) => {
    const lines = recordsAt(term, 'matchExpressions').map((one) => {
      const values = textsAt(one, 'values');
      const operator = textAt(one, 'operator').toLowerCase();
      return values.length > 0
        ? `${textAt(one, 'key')} ${operator} [${values.join(', ')}]`
        : `${textAt(one, 'key')} ${operator}`;
    });
    if (lines.length === 0) w.write(2, `Term ${i}:\t<none>`);
    lines.forEach((line, j) => {
      w.write(2, `${j === 0 ? `Term ${i}:` : ''}\t${line}`);
    });
  });
}

export const describePersistentVolumeClaim: Describer = async (object, w, tools) => {
  const spec = recordAt(object, 'spec');
  const [name, namespace] = [textAt(object, 'metadata', 'name'), textAt(object, 'metadata', 'namespace')];
  w.write(0, `Name:\t${name}`);
  w.write(0, `Namespace:\t${namespace}`);
  w.write(0, `StorageClass:\t${textAt(spec, 'storageClassName')}`);
  w.write(0, `Status:\t${statusOf(object, tools)}`);
  w.write(0, `Volume:\t${textAt(spec, 'volumeName')}`);
  writeLabels(w, 'Labels', stringMapAt(object, 'metadata', 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(object, 'metadata', 'annotations'));
  w.write(0, `Finalizers:\t[${textsAt(object, 'metadata', 'finalizers').join(' ')}]`);
  const isBound = textAt(spec, 'volumeName') !== '';
  w.write(0, `Capacity:\t${isBound ? textAt(object, 'status', 'capacity', 'storage') : ''}`);
  w.write(0, `Access Modes:\t${isBound ? accessModesText(textsAt(object, 'status', 'accessModes')) : ''}`);
  w.optional(0, 'VolumeMode', textAt(spec, 'volumeMode'));
  const source = recordAt(spec, 'dataSource');
  if (textAt(source, 'name') !== '') {
    w.write(0, 'DataSource:');
    w.optional(1, 'APIGroup', textAt(source, 'apiGroup'));
    w.write(1, `Kind:\t${textAt(source, 'kind')}`);
    w.write(1, `Name:\t${textAt(source, 'name')}`);
  }
  const pods = await askForItems(tools, `/api/v1/namespaces/${namespace}/pods`);
  const users = pods.filter((pod) => usesClaim(pod, object)).map((pod) => textAt(pod, 'metadata', 'name'));
  writeMultiline(w, 'Used By', users.sort());
  const conditions = recordsAt(object, 'status', 'conditions');
  if (conditions.length > 0) {
    w.write(0, 'Conditions:');
    w.write(1, 'Type\tStatus\tLastProbeTime\tLastTransitionTime\tReason\tMessage');
    w.write(1, '----\t------\t-----------------\t------------------\t------\t-------');
    for (const one of conditions)
      w.write(
        1,
        `${textAt(one, 'type')} \t${textAt(one, 'status')} \t${formatTimestamp(textAt(one, 'lastProbeTime'))} \t${formatTimestamp(textAt(one, 'lastTransitionTime'))} \t${textAt(one, 'reason')} \t${textAt(one, 'message')}`,
      );
  }
  await writeEvents(w, object, tools);
};

/** By name, or because the claim was made for a volume of the pod. */
function usesClaim(pod: Fields, claim: Fields): boolean {
  const [name, uid] = [textAt(claim, 'metadata', 'name'), textAt(pod, 'metadata', 'uid')];
  const owners = recordsAt(claim, 'metadata', 'ownerReferences').filter((one) => one['kind'] === 'Pod');
  return (
    owners.some((one) => textAt(one, 'uid') === uid) ||
    recordsAt(pod, 'spec', 'volumes').some((volume) => textAt(volume, 'persistentVolumeClaim', 'claimName') === name)
  );
}

export const describeStorageClass: Describer = async (object, w, tools) => {
  const annotations = stringMapAt(object, 'metadata', 'annotations');
  const isDefault = annotations['storageclass.kubernetes.io/is-default-class'] === 'true';
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `IsDefaultClass:\t${isDefault ? 'Yes' : 'No'}`);
  w.write(0, `Annotations:\t${formatMap(annotations) || '<none>'}`);
  w.write(0, `Provisioner:\t${textAt(object, 'provisioner')}`);
  w.write(0, `Parameters:\t${formatMap(stringMapAt(object, 'parameters')) || '<none>'}`);
  w.write(
    0,
    `AllowVolumeExpansion:\t${object['allowVolumeExpansion'] === undefined ? '<unset>' : object['allowVolumeExpansion'] === true ? 'True' : 'False'}`,
  );
  const options = textsAt(object, 'mountOptions');
  if (options.length === 0) w.write(0, 'MountOptions:\t<none>');
  else {
    w.write(0, 'MountOptions:');
    for (const option of options) w.write(1, option);
  }
  w.optional(0, 'ReclaimPolicy', textAt(object, 'reclaimPolicy'));
  w.optional(0, 'VolumeBindingMode', textAt(object, 'volumeBindingMode'));
  const topologies = recordsAt(object, 'allowedTopologies');
  if (topologies.length > 0) {
    w.write(0, 'AllowedTopologies:\t');
    topologies.forEach((term, i) => {
      const lines = recordsAt(term, 'matchLabelExpressions').map(
        (one) => `${textAt(one, 'key')} in [${textsAt(one, 'values').join(', ')}]`,
      );
      lines.forEach((line, j) => {
        w.write(1, `${j === 0 ? `Term ${i}:` : ''}\t${line}`);
      });
    });
  }
  await writeEvents(w, object, tools);
};

export const describeVolumeAttributesClass: Describer = async (object, w, tools) => {
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Annotations:\t${orNone(formatMap(stringMapAt(object, 'metadata', 'annotations')))}`);
  w.write(0, `DriverName:\t${textAt(object, 'driverName')}`);
  w.write(0, `Parameters:\t${orNone(formatMap(stringMapAt(object, 'parameters')))}`);
  await writeEvents(w, object, tools);
};

export const describeCsiNode: Describer = async (object, w, tools) => {
  writeHead(w, object, { namespaced: false });
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(object, 'metadata', 'creationTimestamp'))}`);
  w.write(0, 'Spec:');
  const drivers = recordsAt(object, 'spec', 'drivers');
  if (drivers.length > 0) w.write(1, 'Drivers:');
  for (const driver of drivers) {
    w.write(2, `${textAt(driver, 'name')}:`);
    w.write(3, `Node ID:\t${textAt(driver, 'nodeID')}`);
    const count = textAt(driver, 'allocatable', 'count');
    if (count !== '') {
      w.write(3, 'Allocatables:');
      w.write(4, `Count:\t${count}`);
    }
    if (Array.isArray(driver['topologyKeys']))
      w.write(3, `Topology Keys:\t[${textsAt(driver, 'topologyKeys').join(' ')}]`);
  }
  await writeEvents(w, object, tools);
};

function statusOf(object: Fields, tools: DescribeTools): string {
  const deletedAt = textAt(object, 'metadata', 'deletionTimestamp');
  return deletedAt === '' ? textAt(object, 'status', 'phase') : `Terminating (lasts ${ageOf(deletedAt, tools)})`;
}
