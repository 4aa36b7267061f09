import { isTerminalPhase } from '@coracle/api';
import { type Fields, numberAt, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import { writeAmounts, writeContainers } from './containers.js';
import { ageOf, type DescribeTools, writeEvents } from './tools.js';
import { writeVolumes } from './volumes.js';
import {
  DescribeWriter,
  formatSelector,
  formatTimestamp,
  writeAnnotations,
  writeLabels,
  writeMultiline,
} from './writer.js';

export async function describePod(pod: Fields, w: DescribeWriter, tools: DescribeTools): Promise<void> {
  const [spec, status, metadata] = [recordAt(pod, 'spec'), recordAt(pod, 'status'), recordAt(pod, 'metadata')];
  writePodHead(w, { pod, spec, status, metadata, tools });
  const containers = (label: string, field: string, statuses: string) => {
    const list = recordsAt(spec, field);
    if (list.length > 0) writeContainers(w, label, list, { statuses: recordsAt(status, statuses), pod });
  };
  containers('Init Containers', 'initContainers', 'initContainerStatuses');
  writeContainers(w, 'Containers', recordsAt(spec, 'containers'), {
    statuses: recordsAt(status, 'containerStatuses'),
    pod,
  });
  containers('Ephemeral Containers', 'ephemeralContainers', 'ephemeralContainerStatuses');
  writeGates(w, spec, status);
  const conditions = recordsAt(status, 'conditions');
  if (conditions.length > 0) {
    w.write(0, 'Conditions:');
    w.write(1, 'Type\tStatus');
    for (const condition of conditions) w.write(1, `${textAt(condition, 'type')} \t${textAt(condition, 'status')} `);
  }
  writeVolumes(w, recordsAt(spec, 'volumes'));
  w.write(0, `QoS Class:\t${textAt(status, 'qosClass')}`);
  writeLabels(w, 'Node-Selectors', stringMapAt(spec, 'nodeSelector'));
  writeTolerations(w, 'Tolerations', recordsAt(spec, 'tolerations'));
  writeSpread(w, 'Topology Spread Constraints', recordsAt(spec, 'topologySpreadConstraints'));
  await writeEvents(w, pod, tools);
}

interface PodParts {
  readonly pod: Fields;
  readonly spec: Fields;
  readonly status: Fields;
  readonly metadata: Fields;
  readonly tools: DescribeTools;
}

function writePodHead(w: DescribeWriter, { spec, status, metadata, tools }: PodParts): void {
  w.write(0, `Name:\t${textAt(metadata, 'name')}`);
  w.write(0, `Namespace:\t${textAt(metadata, 'namespace')}`);
  if (spec['priority'] !== undefined) w.write(0, `Priority:\t${textAt(spec, 'priority')}`);
  w.optional(0, 'Priority Class Name', textAt(spec, 'priorityClassName'));
  w.optional(0, 'Runtime Class Name', textAt(spec, 'runtimeClassName'));
  w.optional(0, 'Service Account', textAt(spec, 'serviceAccountName'));
  const node = textAt(spec, 'nodeName');
  w.write(0, `Node:\t${node === '' ? '<none>' : `${node}/${textAt(status, 'hostIP')}`}`);
  w.optional(0, 'Start Time', formatTimestamp(textAt(status, 'startTime')));
  writeLabels(w, 'Labels', stringMapAt(metadata, 'labels'));
  writeAnnotations(w, 'Annotations', stringMapAt(metadata, 'annotations'));
  const deletion = textAt(metadata, 'deletionTimestamp');
  const phase = textAt(status, 'phase');
  if (deletion !== '' && !isTerminalPhase(phase)) {
    w.write(0, `Status:\tTerminating (lasts ${ageOf(deletion, tools)})`);
    w.write(0, `Termination Grace Period:\t${numberAt(metadata, 'deletionGracePeriodSeconds') ?? 0}s`);
  } else w.write(0, `Status:\t${phase}`);
  w.optional(0, 'Reason', textAt(status, 'reason'));
  w.optional(0, 'Message', textAt(status, 'message'));
  w.optional(0, 'SeccompProfile', textAt(spec, 'securityContext', 'seccompProfile', 'type'));
  w.write(0, `IP:\t${textAt(status, 'podIP')}`);
  const addresses = recordsAt(status, 'podIPs');
  if (addresses.length === 0) w.write(0, 'IPs:\t<none>');
  else {
    w.write(0, 'IPs:');
    for (const address of addresses) w.write(1, `IP:\t${textAt(address, 'ip')}`);
  }
  writeController(w, metadata);
  w.optional(0, 'NominatedNodeName', textAt(status, 'nominatedNodeName'));
  const resources = recordAt(spec, 'resources');
  if (Object.keys(resources).length > 0) {
    w.write(0, 'Resources:');
    writeAmounts(w, 'Limits', recordAt(resources, 'limits'));
    writeAmounts(w, 'Requests', recordAt(resources, 'requests'));
  }
}

/** `Controlled By:` with the controller. */
export function writeController(w: DescribeWriter, metadata: Fields): void {
  const controller = recordsAt(metadata, 'ownerReferences').find((one) => one['controller'] === true);
  if (controller) w.write(0, `Controlled By:\t${textAt(controller, 'kind')}/${textAt(controller, 'name')}`);
}

function writeGates(w: DescribeWriter, spec: Fields, status: Fields): void {
  const gates = recordsAt(spec, 'readinessGates');
  if (gates.length === 0) return;
  w.write(0, 'Readiness Gates:');
  w.write(1, 'Type\tStatus');
  for (const gate of gates) {
    const type = textAt(gate, 'conditionType');
    const condition = recordsAt(status, 'conditions').find((one) => one['type'] === type);
    w.write(1, `${type} \t${condition ? textAt(condition, 'status') : '<none>'} `);
  }
}

/** Tolerations in the order of their keys, one a line. */
function writeTolerations(w: DescribeWriter, title: string, tolerations: readonly Fields[], indent = ''): void {
  const lines = [...tolerations]
    .sort((a, b) => (textAt(a, 'key') < textAt(b, 'key') ? -1 : textAt(a, 'key') > textAt(b, 'key') ? 1 : 0))
    .map(tolerationText);
  writeMultiline(w, `${indent}${title}`, lines);
}

function tolerationText(toleration: Fields): string {
  const [key, value, effect] = [textAt(toleration, 'key'), textAt(toleration, 'value'), textAt(toleration, 'effect')];
  let text = `${key}${value === '' ? '' : `=${value}`}${effect === '' ? '' : `:${effect}`}`;
  if (toleration['operator'] === 'Exists' && value === '') text += text === '' ? 'op=Exists' : ' op=Exists';
  const seconds = numberAt(toleration, 'tolerationSeconds');
  return seconds === undefined ? text : `${text} for ${seconds}s`;
}

function writeSpread(w: DescribeWriter, title: string, constraints: readonly Fields[], indent = ''): void {
  if (constraints.length === 0) return;
  const lines = [...constraints]
    .sort((a, b) => (textAt(a, 'topologyKey') < textAt(b, 'topologyKey') ? -1 : 1))
    .map((one) => {
      const selector = formatSelector(recordAt(one, 'labelSelector'));
      const when = `when max skew ${textAt(one, 'maxSkew')} is exceeded`;
      return `${textAt(one, 'topologyKey')}:${textAt(one, 'whenUnsatisfiable')} ${when}${selector === '' ? '' : ` for selector ${selector}`}`;
    });
  writeMultiline(w, `${indent}${title}`, lines);
}

/** A pod template, further in than a pod. */
export function writePodTemplate(w: DescribeWriter, template: Fields | undefined): void {
  w.write(0, 'Pod Template:');
  if (!template) {
    w.write(1, '<unset>');
    return;
  }
  const spec = recordAt(template, 'spec');
  const indent = '  ';
  writeLabels(w, 'Labels', stringMapAt(template, 'metadata', 'labels'), { indent });
  const annotations = stringMapAt(template, 'metadata', 'annotations');
  if (Object.keys(annotations).length > 0) writeAnnotations(w, 'Annotations', annotations, { indent });
  w.optional(1, 'Service Account', textAt(spec, 'serviceAccountName'));
  const initContainers = recordsAt(spec, 'initContainers');
  if (initContainers.length > 0) writeContainers(w, 'Init Containers', initContainers, { inTemplate: true });
  writeContainers(w, 'Containers', recordsAt(spec, 'containers'), { inTemplate: true });
  writeVolumes(w, recordsAt(spec, 'volumes'), true);
  writeSpread(w, 'Topology Spread Constraints', recordsAt(spec, 'topologySpreadConstraints'), indent);
  w.optional(1, 'Priority Class Name', textAt(spec, 'priorityClassName'));
  writeLabels(w, 'Node-Selectors', stringMapAt(spec, 'nodeSelector'), { indent });
  writeTolerations(w, 'Tolerations', recordsAt(spec, 'tolerations'), indent);
}

/** The template alone, with its tabs as they are. */
export function podTemplateText(template: Fields): string {
  const w = new DescribeWriter();
  writePodTemplate(w, template);
  return w.text;
}
