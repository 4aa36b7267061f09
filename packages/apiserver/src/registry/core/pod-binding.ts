import type { Binding, Pod } from '@coracle/api';
import {
  badRequest,
  conflict,
  formatTime,
  invalid,
  type KubeObject,
  notSupportedField,
  requiredField,
} from '@coracle/apimachinery';
import { addFields, type Clock } from '@coracle/base';
import { AdmissionChain } from '../../admission/admission-chain.js';
import { usualFeatures } from '../../features/feature-gates.js';
import type { SubresourceCall, SubresourceHandler } from '../subresource.js';
import type { UpdateEndpoint } from '../update-object.js';

const resource = { group: '', resource: 'pods/binding' };
/** Sets the node, which no other endpoint may. The binding is validated before. */
const endpoint: UpdateEndpoint = { prepare() {}, validate: () => [] };
const noAdmission = new AdmissionChain([]);

/** `pods/x/binding`: binds a pod to a node. */
export const podBinding: SubresourceHandler = {
  async create(call, body) {
    const binding = body as Binding;
    if (binding.metadata.name !== call.write.name)
      throw badRequest('name in URL does not match name in Binding object');
    check(binding);
    await assign(call, binding);
    return { object: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 } };
  },
};

/** `bindings`: the same without naming the pod in the path. */
export const bindings: SubresourceHandler = {
  create: async (call, body) => {
    const pods = call.parts.resources.find('', 'v1', 'pods');
    if (!pods || !podBinding.create) throw new Error('pods are not served');
    const write = { ...call.write, resource: pods, name: body.metadata.name ?? '' };
    return podBinding.create({ ...call, write }, body);
  },
};

function check({ metadata, target }: Binding): void {
  const errors = [
    ...(target?.kind && target.kind !== 'Node'
      ? [notSupportedField('target.kind', target.kind, ['Node', '<empty>'])]
      : []),
    ...(target?.name ? [] : [requiredField('target.name')]),
  ];
  if (errors.length > 0) throw invalid({ group: '', kind: 'Binding' }, metadata.name ?? '', errors);
}

async function assign(
  { parts, write }: SubresourceCall<'registry' | 'clock'>,
  { metadata, target }: Binding,
): Promise<void> {
  const registry = parts.registry.withAdmission(noAdmission);
  const { uid, resourceVersion } = metadata;
  await registry.update(write, {
    endpoint,
    fieldsAreTracked: true,
    preconditions: { uid, resourceVersion },
    change: ({ object }) => {
      const pod = object as Pod;
      refuseIfSettled(pod);
      registry.deps.tracer.step('apiserver.bind', `pods/${write.namespace}/${write.name}`);
      const { features = usualFeatures } = registry.deps;
      const clearsNomination = features.isOn('ClearingNominatedNodeNameAfterBinding');
      return assigned(pod, { node: target.name ?? '', metadata, clock: parts.clock, clearsNomination });
    },
  });
}

function refuseIfSettled({ metadata, spec }: Pod): void {
  const { name = '' } = metadata;
  if (metadata.deletionTimestamp)
    throw conflict(resource, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  if (spec?.nodeName)
    throw conflict(resource, name, `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if (spec?.schedulingGates?.length) throw conflict(resource, name, `pod ${name} has non-empty .spec.schedulingGates`);
}

interface Assignment {
  readonly node: string;
  /** Copies annotations and labels of the binding, whether set by its sender or by admission, to the pod. */
  readonly metadata: Binding['metadata'];
  readonly clock: Clock;
  /** Clears the nominated node of a pod that is bound. */
  readonly clearsNomination: boolean;
}

/** Unchanged parts are shared with the previous pod. */
function assigned(
  pod: Pod,
  { node, metadata: { annotations, labels }, clock, clearsNomination }: Assignment,
): KubeObject {
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime: formatTime(clock.now()) };
  const conditions = [...(pod.status?.conditions ?? [])];
  const at = conditions.findIndex(({ type }) => type === scheduled.type);
  conditions.splice(at < 0 ? conditions.length : at, 1, scheduled);
  const metadata = { ...pod.metadata };
  if (labels) metadata.labels = { ...metadata.labels, ...labels };
  if (annotations) metadata.annotations = { ...metadata.annotations, ...annotations };
  const status = addFields(pod.status ?? {}, { conditions });
  if (clearsNomination && status.nominatedNodeName !== undefined) delete status.nominatedNodeName;
  const bound: Pod = { ...pod, metadata, status };
  if (pod.spec) bound.spec = addFields(pod.spec, { nodeName: node });
  return bound;
}
