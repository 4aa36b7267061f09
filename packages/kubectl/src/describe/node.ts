import { parseQuantity, type Quantity } from '@coracle/apimachinery';
import { withQuery } from '../resources/request-helper.js';
import { type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { ageOf, ask, askForItems, type Describer, writeEvents } from './tools.js';
import { type DescribeWriter, formatTimestamp, writeAnnotations, writeLabels, writeMultiline } from './writer.js';

export const describeNode: Describer = async (object, w, tools) => {
  const [metadata, spec, status] = [recordAt(object, 'metadata'), recordAt(object, 'spec'), recordAt(object, 'status')];
  const name = textAt(metadata, 'name');
  w.write(0, `Name:\t${name}`);
  w.write(0, `Roles:\t${rolesOf(stringMapAt(metadata, 'labels')) || '<none>'}`);
  writeLabels(w, 'Labels', stringMapAt(metadata, 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(metadata, 'annotations'));
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(metadata, 'creationTimestamp'))}`);
  writeMultiline(w, 'Taints', sortedTaints(recordsAt(spec, 'taints')));
  w.write(0, `Unschedulable:\t${spec['unschedulable'] === true}`);
  try {
    const lease = await ask(tools, `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${name}`);
    writeLease(w, lease);
  } catch (error) {
    w.write(0, `Lease:\tFailed to get lease: ${(error as Error).message}`);
  }
  writeConditions(w, recordsAt(status, 'conditions'));
  w.write(0, 'Addresses:');
  for (const address of recordsAt(status, 'addresses'))
    w.write(1, `${textAt(address, 'type')}:\t${textAt(address, 'address')}`);
  writeResources(w, 'Capacity', recordAt(status, 'capacity'));
  writeResources(w, 'Allocatable', recordAt(status, 'allocatable'));
  writeSystem(w, recordAt(status, 'nodeInfo'));
  w.optional(0, 'PodCIDR', textAt(spec, 'podCIDR'));
  if (textsAt(spec, 'podCIDRs').length > 0) w.write(0, `PodCIDRs:\t${textsAt(spec, 'podCIDRs').join(',')}`);
  w.optional(0, 'ProviderID', textAt(spec, 'providerID'));
  const fieldSelector = `spec.nodeName=${name},status.phase!=Succeeded,status.phase!=Failed`;
  const pods = await askForItems(tools, withQuery('/api/v1/pods', { fieldSelector }));
  writePods(w, pods, { status, age: (pod) => ageOf(textAt(pod, 'metadata', 'creationTimestamp'), tools) });
  await writeEvents(w, object, tools);
};

function rolesOf(labels: Readonly<Record<string, string>>): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(prefix)) return key.length > prefix.length ? [key.slice(prefix.length)] : [];
    return key === 'kubernetes.io/role' && value !== '' ? [value] : [];
  });
  return [...new Set(roles)].sort().join(',');
}

const effects = ['NoExecute', 'NoSchedule', 'PreferNoSchedule'];

function sortedTaints(taints: readonly Fields[]): string[] {
  const key = (taint: Fields) => `${effects.indexOf(textAt(taint, 'effect'))}${textAt(taint, 'key')}`;
  return [...taints]
    .sort((a, b) => (key(a) < key(b) ? -1 : 1))
    .map((taint) => {
      const value = textAt(taint, 'value');
      return `${textAt(taint, 'key')}${value === '' ? '' : `=${value}`}:${textAt(taint, 'effect')}`;
    });
}

function writeLease(w: DescribeWriter, lease: Fields): void {
  w.write(0, 'Lease:');
  w.write(1, `HolderIdentity:\t${textAt(lease, 'spec', 'holderIdentity') || '<unset>'}`);
  w.write(1, `AcquireTime:\t${formatTimestamp(textAt(lease, 'spec', 'acquireTime')) || '<unset>'}`);
  w.write(1, `RenewTime:\t${formatTimestamp(textAt(lease, 'spec', 'renewTime')) || '<unset>'}`);
}

function writeConditions(w: DescribeWriter, conditions: readonly Fields[]): void {
  if (conditions.length === 0) return;
  w.write(0, 'Conditions:');
  w.write(1, 'Type\tStatus\tLastHeartbeatTime\tLastTransitionTime\tReason\tMessage');
  w.write(1, '----\t------\t-----------------\t------------------\t------\t-------');
  for (const one of conditions)
    w.write(
      1,
      `${textAt(one, 'type')} \t${textAt(one, 'status')} \t${formatTimestamp(textAt(one, 'lastHeartbeatTime'))} \t${formatTimestamp(textAt(one, 'lastTransitionTime'))} \t${textAt(one, 'reason')} \t${textAt(one, 'message')}`,
    );
}

function writeResources(w: DescribeWriter, title: string, resources: Fields): void {
  const names = Object.keys(resources).sort();
  if (names.length === 0) return;
  w.write(0, `${title}:`);
  for (const name of names) w.write(1, `${name}:\t${textAt(resources, name)}`);
}

function writeSystem(w: DescribeWriter, info: Fields): void {
  w.write(0, 'System Info:');
  for (const [label, field] of [
    ['Machine ID', 'machineID'],
    ['System UUID', 'systemUUID'],
    ['Boot ID', 'bootID'],
    ['Kernel Version', 'kernelVersion'],
    ['OS Image', 'osImage'],
    ['Operating System', 'operatingSystem'],
    ['Architecture', 'architecture'],
    ['Container Runtime Version', 'containerRuntimeVersion'],
    ['Kubelet Version', 'kubeletVersion'],
  ] as const)
    w.write(1, `${label}:\t${textAt(info, field)}`);
}

interface PodTable {
  readonly status: Fields;
  readonly age: (pod: Fields) => string;
}

function writePods(w: DescribeWriter, pods: readonly Fields[], { status, age }: PodTable): void {
  const allocatable =
    Object.keys(recordAt(status, 'allocatable')).length > 0
      ? recordAt(status, 'allocatable')
      : recordAt(status, 'capacity');
  w.write(0, `Non-terminated Pods:\t(${pods.length} in total)`);
  w.write(1, 'Namespace\tName\t\tCPU Requests\tCPU Limits\tMemory Requests\tMemory Limits\tAge');
  w.write(1, '---------\t----\t\t------------\t----------\t---------------\t-------------\t---');
  const totals = { requests: new Map<string, Quantity>(), limits: new Map<string, Quantity>() };
  for (const pod of pods) {
    const used = { requests: sumOf(pod, 'requests'), limits: sumOf(pod, 'limits') };
    for (const side of ['requests', 'limits'] as const)
      for (const [name, amount] of used[side]) totals[side].set(name, (totals[side].get(name) ?? zero).add(amount));
    const cell = (side: 'requests' | 'limits', name: string) =>
      share(used[side].get(name) ?? zero, textAt(allocatable, name));
    w.write(
      1,
      `${textAt(pod, 'metadata', 'namespace')}\t${textAt(pod, 'metadata', 'name')}\t\t${cell('requests', 'cpu')}\t${cell('limits', 'cpu')}\t${cell('requests', 'memory')}\t${cell('limits', 'memory')}\t${age(pod)}`,
    );
  }
  w.write(0, 'Allocated resources:');
  w.write(1, '(Total limits may be over 100 percent, i.e., overcommitted.)');
  w.write(1, 'Resource\tRequests\tLimits');
  w.write(1, '--------\t--------\t------');
  const standard = ['cpu', 'memory', 'ephemeral-storage'];
  const extended = Object.keys(recordAt(status, 'allocatable'))
    .filter((name) => !standard.includes(name) && name !== 'pods')
    .sort();
  const hugePages = extended.filter((name) => name.startsWith('hugepages-'));
  for (const name of [...standard, ...hugePages]) {
    const total = (side: 'requests' | 'limits') => share(totals[side].get(name) ?? zero, textAt(allocatable, name));
    w.write(1, `${name}\t${total('requests')}\t${total('limits')}`);
  }
  for (const name of extended.filter((one) => !hugePages.includes(one)))
    w.write(
      1,
      `${name}\t${(totals.requests.get(name) ?? zero).toString()}\t${(totals.limits.get(name) ?? zero).toString()}`,
    );
}

const zero = parseQuantity('0');

/** The requests or limits of a pod. */
function sumOf(pod: Fields, side: 'requests' | 'limits'): Map<string, Quantity> {
  const totals = new Map<string, Quantity>();
  for (const container of recordsAt(pod, 'spec', 'containers'))
    for (const [name, amount] of Object.entries(recordAt(container, 'resources', side)))
      totals.set(name, (totals.get(name) ?? zero).add(parseQuantity(String(amount))));
  for (const container of recordsAt(pod, 'spec', 'initContainers'))
    for (const [name, amount] of Object.entries(recordAt(container, 'resources', side))) {
      const quantity = parseQuantity(String(amount));
      const before = totals.get(name) ?? zero;
      if (container['restartPolicy'] === 'Always') totals.set(name, before.add(quantity));
      else if (quantity.compare(before) > 0) totals.set(name, quantity);
    }
  for (const [name, amount] of Object.entries(recordAt(pod, 'spec', side === 'requests' ? 'overhead' : 'none')))
    totals.set(name, (totals.get(name) ?? zero).add(parseQuantity(String(amount))));
  return totals;
}

function share(amount: Quantity, of: string): string {
  const whole = of === '' ? 0 : parseQuantity(of).milliValue();
  const percent = whole === 0 ? 0 : Math.trunc((amount.milliValue() / whole) * 100);
  return `${amount.toString()} (${percent}%)`;
}
