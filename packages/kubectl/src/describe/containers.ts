import { parseQuantity } from '@coracle/apimachinery';
import { at, type Fields, recordAt, recordsAt, stringMapAt, textAt, textsAt } from '../values.js';
import { probeText } from './probes.js';
import { type DescribeWriter, formatTimestamp, titleBool } from './writer.js';

export interface ContainerOptions {
  readonly statuses?: readonly Fields[];
  /** The pod, to resolve values of the downward API. */
  readonly pod?: Fields;
  /** In a pod template everything is further in. */
  readonly inTemplate?: boolean;
}

/** Containers with their state, resources, probes, environment and mounts. */
export function writeContainers(
  w: DescribeWriter,
  label: string,
  containers: readonly Fields[],
  options: ContainerOptions = {},
): void {
  const indent = options.inTemplate ? '  ' : '';
  if (containers.length === 0) {
    w.write(0, `${indent}${label}:\t<none>`);
    return;
  }
  w.write(0, `${indent}${label}:`);
  for (const container of containers) {
    const status = options.statuses?.find((one) => one['name'] === container['name']);
    w.write(0, `${options.inTemplate ? '   ' : '  '}${textAt(container, 'name')}:`);
    writeBasics(w, container, status);
    writeCommand(w, 'Command', textsAt(container, 'command'));
    writeCommand(w, 'Args', textsAt(container, 'args'));
    if (status) writeStatus(w, status);
    writeAmounts(w, 'Limits', recordAt(container, 'resources', 'limits'));
    writeAmounts(w, 'Requests', recordAt(container, 'resources', 'requests'));
    writeProbes(w, container);
    writeEnvFrom(w, recordsAt(container, 'envFrom'));
    writeEnv(w, container, options.pod);
    writeMounts(w, container);
  }
}

function writeBasics(w: DescribeWriter, container: Fields, status: Fields | undefined): void {
  if (status) w.write(2, `Container ID:\t${textAt(status, 'containerID')}`);
  w.write(2, `Image:\t${textAt(container, 'image')}`);
  if (status) w.write(2, `Image ID:\t${textAt(status, 'imageID')}`);
  const ports = recordsAt(container, 'ports');
  const formatted = (field: string) =>
    ports
      .map((port) => {
        const name = textAt(port, 'name');
        return `${textAt(port, field) || '0'}/${textAt(port, 'protocol') || 'TCP'}${name === '' ? '' : ` (${name})`}`;
      })
      .join(', ');
  const plural = ports.length > 1 ? 's' : '';
  w.write(2, `Port${plural}:\t${formatted('containerPort') || '<none>'}`);
  w.write(2, `Host Port${plural}:\t${formatted('hostPort') || '<none>'}`);
  const seccomp = textAt(container, 'securityContext', 'seccompProfile', 'type');
  if (seccomp !== '') {
    w.write(2, `SeccompProfile:\t${seccomp}`);
    w.optional(3, 'LocalhostProfile', textAt(container, 'securityContext', 'seccompProfile', 'localhostProfile'));
  }
}

function writeCommand(w: DescribeWriter, label: string, words: readonly string[]): void {
  if (words.length === 0) return;
  w.write(2, `${label}:`);
  for (const word of words) for (const line of word.split('\n')) w.write(3, line);
}

function writeStatus(w: DescribeWriter, status: Fields): void {
  writeState(w, 'State', recordAt(status, 'state'));
  const last = recordAt(status, 'lastState');
  if (last['terminated'] !== undefined) writeState(w, 'Last State', last);
  w.write(2, `Ready:\t${titleBool(status['ready'])}`);
  w.write(2, `Restart Count:\t${textAt(status, 'restartCount') || '0'}`);
}

function writeState(w: DescribeWriter, label: string, state: Fields): void {
  const { running, waiting, terminated } = state as Record<string, Fields | undefined>;
  if (running) {
    w.write(2, `${label}:\tRunning`);
    w.write(3, `Started:\t${formatTimestamp(textAt(running, 'startedAt'))}`);
  } else if (terminated) {
    w.write(2, `${label}:\tTerminated`);
    w.optional(3, 'Reason', textAt(terminated, 'reason'));
    w.optional(3, 'Message', textAt(terminated, 'message'));
    w.write(3, `Exit Code:\t${textAt(terminated, 'exitCode') || '0'}`);
    if (terminated['signal']) w.write(3, `Signal:\t${textAt(terminated, 'signal')}`);
    w.write(3, `Started:\t${formatTimestamp(textAt(terminated, 'startedAt'))}`);
    w.write(3, `Finished:\t${formatTimestamp(textAt(terminated, 'finishedAt'))}`);
  } else {
    w.write(2, `${label}:\tWaiting`);
    w.optional(3, 'Reason', textAt(waiting, 'reason'));
  }
}

export function writeAmounts(w: DescribeWriter, label: string, amounts: Fields): void {
  const names = Object.keys(amounts).sort();
  if (names.length === 0) return;
  w.write(2, `${label}:`);
  for (const name of names) w.write(3, `${name}:\t${textAt(amounts, name)}`);
}

function writeProbes(w: DescribeWriter, container: Fields): void {
  for (const [label, field] of [
    ['Liveness', 'livenessProbe'],
    ['Readiness', 'readinessProbe'],
    ['Startup', 'startupProbe'],
  ] as const) {
    const probe = container[field] as Fields | undefined;
    if (probe) w.write(2, `${label}:\t${probeText(probe)}`);
  }
}

function writeEnvFrom(w: DescribeWriter, sources: readonly Fields[]): void {
  if (sources.length === 0) return;
  w.write(2, 'Environment Variables from:');
  for (const source of sources) {
    const [kind, ref] = source['configMapRef']
      ? ['ConfigMap', recordAt(source, 'configMapRef')]
      : ['Secret', recordAt(source, 'secretRef')];
    const prefix = textAt(source, 'prefix');
    const what = prefix === '' ? kind : `${kind} with prefix '${prefix}'`;
    w.write(3, `${textAt(ref, 'name')}\t${what}\tOptional: ${ref['optional'] === true}`);
  }
}

function writeEnv(w: DescribeWriter, container: Fields, pod: Fields | undefined): void {
  const variables = recordsAt(container, 'env');
  if (variables.length === 0) {
    w.write(2, 'Environment:\t<none>');
    return;
  }
  w.write(2, 'Environment:');
  for (const variable of variables) {
    const name = textAt(variable, 'name');
    const lines = envText(variable, container, pod).split('\n');
    lines.forEach((line, i) => {
      w.write(3, i === 0 ? `${name}:\t${line}` : `\t${line}`);
    });
  }
}

function envText(variable: Fields, container: Fields, pod: Fields | undefined): string {
  const source = recordAt(variable, 'valueFrom');
  const { fieldRef, resourceFieldRef, secretKeyRef, configMapKeyRef, fileKeyRef } = source as Record<
    string,
    Fields | undefined
  >;
  if (fieldRef) {
    const path = textAt(fieldRef, 'fieldPath');
    const value = pod ? fieldValue(pod, path) : '';
    return `${value} (${textAt(fieldRef, 'apiVersion') || 'v1'}:${path})`;
  }
  if (resourceFieldRef) {
    const resource = textAt(resourceFieldRef, 'resource');
    const value = resourceValue(container, resourceFieldRef);
    const isWholeNode = value === '0' && ['limits.cpu', 'limits.memory'].includes(resource);
    return `${isWholeNode ? 'node allocatable' : value} (${resource})`;
  }
  if (secretKeyRef)
    return `<set to the key '${textAt(secretKeyRef, 'key')}' in secret '${textAt(secretKeyRef, 'name')}'>\tOptional: ${secretKeyRef['optional'] === true}`;
  if (configMapKeyRef)
    return `<set to the key '${textAt(configMapKeyRef, 'key')}' of config map '${textAt(configMapKeyRef, 'name')}'>\tOptional: ${configMapKeyRef['optional'] === true}`;
  if (fileKeyRef)
    return `<set to the key '${textAt(fileKeyRef, 'key')}' of the file '${textAt(fileKeyRef, 'path')}' in volume '${textAt(fileKeyRef, 'volumeName')}'>\tOptional: ${fileKeyRef['optional'] === true}`;
  return textAt(variable, 'value');
}

function fieldValue(pod: Fields, path: string): string {
  const subscript = /^(metadata\.(?:labels|annotations))\['(.+)'\]$/.exec(path);
  if (subscript) return stringMapAt(pod, ...(subscript[1] ?? '').split('.'))[subscript[2] ?? ''] ?? '';
  const value = at(pod, ...path.split('.'));
  return typeof value === 'object' ? '' : String(value ?? '');
}

/** Rounded up to whole divisors. */
function resourceValue(container: Fields, ref: Fields): string {
  const [side = '', name = ''] = textAt(ref, 'resource').split(/\.(.*)/s);
  const text = textAt(container, 'resources', side, name);
  if (text === '') return '0';
  const divisor = textAt(ref, 'divisor');
  const amount = parseQuantity(text).milliValue();
  const by = divisor === '' || divisor === '0' ? 1000 : parseQuantity(divisor).milliValue();
  return String(Math.ceil(amount / by));
}

function writeMounts(w: DescribeWriter, container: Fields): void {
  const mounts = recordsAt(container, 'volumeMounts');
  if (mounts.length === 0) w.write(2, 'Mounts:\t<none>');
  else {
    w.write(2, 'Mounts:');
    const byPath = [...mounts].sort((a, b) => (textAt(a, 'mountPath') < textAt(b, 'mountPath') ? -1 : 1));
    for (const mount of byPath) {
      const flags = [
        mount['readOnly'] === true ? 'ro' : 'rw',
        ...(textAt(mount, 'subPath') ? [`path=${JSON.stringify(textAt(mount, 'subPath'))}`] : []),
      ];
      w.write(3, `${textAt(mount, 'mountPath')} from ${textAt(mount, 'name')} (${flags.join(',')})`);
    }
  }
  const devices = recordsAt(container, 'volumeDevices');
  if (devices.length === 0) return;
  w.write(2, 'Devices:');
  for (const device of devices) w.write(3, `${textAt(device, 'devicePath')} from ${textAt(device, 'name')}`);
}
