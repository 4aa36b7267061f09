import {
  duplicateField,
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isDns1123Label,
  isValidPortName,
  notFoundField,
  requiredField,
} from '@coracle/apimachinery';
import type {
  Container,
  ContainerPort,
  ContainerResizePolicy,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
} from '../../generated/types/core-v1.js';
import {
  checkItems,
  checkMaxItems,
  checkPortNumber,
  checkRequiredSupported,
  checkRequiredValue,
  checkSupported,
  checkValue,
  concat,
} from '../../validation/field-checks.js';
import { validateEnv, validateEnvFrom } from './env.validation.js';
import {
  validateLifecycle,
  validateLivenessProbe,
  validateReadinessProbe,
  validateStartupProbe,
} from './probe.validation.js';
import { validateResourceRequirements } from './resources.validation.js';
import { validateSecurityContext } from './security-context.validation.js';
import { type VolumesByName, validateVolumeDevices, validateVolumeMounts } from './volume-mount.validation.js';

/** Properties of the pod on which its containers depend. */
export interface ContainerContext {
  /** Only valid volumes; a mount of another one refers to no volume. */
  readonly volumes: VolumesByName;
  readonly claimNames: ReadonlySet<string>;
  readonly gracePeriodSeconds: number | undefined;
  readonly podRestartPolicy: string;
  readonly hostUsers: boolean;
}

export function validateContainers(
  path: FieldPath,
  containers: readonly Container[],
  context: ContainerContext,
): FieldError[] {
  if (containers.length === 0) return [requiredField(path)];
  const names = new Set<string>();
  const errors = checkItems(path, containers, (itemPath, container) => {
    const found = validateContainer(itemPath, container, context);
    if (names.has(container.name)) found.push(duplicateField(itemPath.child('name'), container.name));
    names.add(container.name);
    return concat(found, validateLife(itemPath, container, context), validateRestartPolicy(itemPath, container));
  });
  return concat(errors, validateHostPorts(path, containers));
}

export function validateInitContainers(path: FieldPath, spec: PodSpec, context: ContainerContext): FieldError[] {
  const names = new Set((spec.containers ?? []).map(({ name }) => name));
  return (spec.initContainers ?? []).flatMap((container, index) => {
    const itemPath = path.index(index);
    const errors = validateContainer(itemPath, container, context);
    errors.push(...validateRestartPolicy(itemPath, container));
    if (names.has(container.name)) errors.push(duplicateField(itemPath.child('name'), container.name));
    else if (container.name) names.add(container.name);
    errors.push(...validateHostPorts(path, [container]));
    if (container.restartPolicy === 'Always') return concat(errors, validateLife(itemPath, container, context));
    return concat(errors, forbidLife(itemPath, container), forbidRestartToResize(itemPath, container));
  });
}

/** Probes and hooks of a container that runs beside others. */
function validateLife(path: FieldPath, container: Container, context: ContainerContext): FieldError[] {
  return concat(
    validateLifecycle(path.child('lifecycle'), container.lifecycle, context),
    validateLivenessProbe(path.child('livenessProbe'), container.livenessProbe, context),
    validateReadinessProbe(path.child('readinessProbe'), container.readinessProbe, context),
    validateStartupProbe(path.child('startupProbe'), container.startupProbe, context),
  );
}

/** An init container that runs to its end is neither probed nor stopped. */
function forbidLife(path: FieldPath, container: Container): FieldError[] {
  return (['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    .filter((field) => container[field] !== undefined)
    .map((field) =>
      forbiddenField(path.child(field), 'may not be set for init containers without restartPolicy=Always'),
    );
}

/** A container that runs once cannot be started again with other resources. */
function forbidRestartToResize(path: FieldPath, { resizePolicy }: Container): FieldError[] {
  return checkItems(path.child('resizePolicy'), resizePolicy, (itemPath, { restartPolicy }) =>
    restartPolicy === 'RestartContainer'
      ? [invalidField(itemPath.child('restartPolicy'), restartPolicy, restartOfInitContainer)]
      : [],
  );
}

const restartOfInitContainer = "must not be set to 'RestartContainer' for non-sidecar initContainers";

/** Validates containers of every type. */
function validateContainer(path: FieldPath, container: Container, context: ContainerContext): FieldError[] {
  const { claimNames, podRestartPolicy, volumes, hostUsers } = context;
  return concat(
    checkRequiredValue(path.child('name'), container.name, isDns1123Label),
    container.image ? [] : [requiredField(path.child('image'))],
    checkRequiredSupported(path.child('terminationMessagePolicy'), container.terminationMessagePolicy, messagePolicies),
    validatePorts(path.child('ports'), container.ports ?? []),
    validateEnv(path.child('env'), container.env),
    validateEnvFrom(path.child('envFrom'), container.envFrom),
    validateVolumeMounts(path.child('volumeMounts'), container, volumes),
    validateVolumeDevices(path.child('volumeDevices'), container, volumes),
    checkRequiredSupported(path.child('imagePullPolicy'), container.imagePullPolicy, pullPolicies),
    validateResourceRequirements(path.child('resources'), container.resources, { claimNames }),
    validateResizePolicies(path.child('resizePolicy'), container.resizePolicy ?? [], podRestartPolicy),
    validateSecurityContext(path.child('securityContext'), container.securityContext, hostUsers),
  );
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];
export const pullPolicies: readonly string[] = ['Always', 'IfNotPresent', 'Never'];
const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(path: FieldPath, ports: readonly ContainerPort[]): FieldError[] {
  const names = new Set<string>();
  return checkItems(path, ports, (itemPath, port) => {
    const errors = validatePortName(itemPath.child('name'), port.name, names);
    if (!port.containerPort) errors.push(requiredField(itemPath.child('containerPort')));
    else errors.push(...checkPortNumber(itemPath.child('containerPort'), port.containerPort));
    if (port.hostPort) errors.push(...checkPortNumber(itemPath.child('hostPort'), port.hostPort));
    return concat(errors, checkRequiredSupported(itemPath.child('protocol'), port.protocol, protocols));
  });
}

function validatePortName(path: FieldPath, name: string | undefined, seen: Set<string>): FieldError[] {
  if (!name) return [];
  const errors = checkValue(path, name, isValidPortName);
  if (errors.length > 0) return errors;
  if (seen.has(name)) return [duplicateField(path, name)];
  seen.add(name);
  return [];
}

/** A port of the host can be taken once for each protocol and address. */
function validateHostPorts(path: FieldPath, containers: readonly Container[]): FieldError[] {
  const taken = new Set<string>();
  return checkItems(path, containers, (containerPath, { ports }) =>
    checkItems(containerPath.child('ports'), ports, (portPath, { protocol = '', hostIP = '', hostPort }) => {
      if (!hostPort) return [];
      const key = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(key)) return [duplicateField(portPath.child('hostPort'), key)];
      taken.add(key);
      return [];
    }),
  );
}

function validateResizePolicies(
  path: FieldPath,
  policies: readonly ContainerResizePolicy[],
  podRestartPolicy: string,
): FieldError[] {
  const seen = new Set<string>();
  return policies.flatMap(({ resourceName = '', restartPolicy = '' }, index) => {
    const errors: FieldError[] = [];
    if (seen.has(resourceName)) errors.push(duplicateField(path.index(index), resourceName));
    seen.add(resourceName);
    errors.push(...checkRequiredSupported(path, resourceName, ['cpu', 'memory']));
    errors.push(...checkRequiredSupported(path, restartPolicy, ['NotRequired', 'RestartContainer']));
    if (podRestartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalidField(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

const mostRestartRules = 20;
const mostExitCodes = 255;

/** A container's own restart policy, and the exit codes for which it does otherwise. */
function validateRestartPolicy(path: FieldPath, container: Container): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const errors: FieldError[] = [];
  if (restartPolicy !== undefined) {
    errors.push(...checkSupported(path.child('restartPolicy'), restartPolicy, ['Always', 'Never', 'OnFailure']));
  } else if (rules.length > 0) {
    errors.push(requiredField(path.child('restartPolicy'), 'must specify restartPolicy when restart rules are used'));
  }
  const rulesPath = path.child('restartPolicyRules');
  errors.push(...checkMaxItems(rulesPath, rules, mostRestartRules));
  return concat(
    errors,
    rules.flatMap((rule, index) => validateRestartRule(rulesPath.index(index), rule)),
  );
}

function validateRestartRule(path: FieldPath, { action = '', exitCodes }: ContainerRestartRule): FieldError[] {
  const errors = checkSupported(path.child('action'), action, ['Restart', 'RestartAllContainers']);
  if (!exitCodes) return concat(errors, [requiredField(path.child('exitCodes'), 'must be specified')]);
  const { operator = '', values = [] } = exitCodes;
  return concat(
    errors,
    checkSupported(path.child('exitCodes', 'operator'), operator, ['In', 'NotIn']),
    checkMaxItems(path.child('exitCodes', 'values'), values, mostExitCodes),
  );
}

/** Everything but these describes a container that is part of the pod's work, which an ephemeral one is not. */
const ephemeralFields: ReadonlySet<string> = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
]);

export function validateEphemeralContainers(path: FieldPath, spec: PodSpec, context: ContainerContext): FieldError[] {
  const others = new Set([...(spec.containers ?? []), ...(spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const itemPath = path.index(index);
    const errors = [...validateContainer(itemPath, container, context), ...validateImageSpaces(itemPath, container)];
    if (names.has(container.name)) errors.push(duplicateField(itemPath.child('name'), container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target)) errors.push(notFoundField(itemPath.child('targetContainerName'), target));
    return concat(errors, forbidWorkloadFields(itemPath, container));
  });
}

const notForEphemeral = 'cannot be set for an Ephemeral Container';

function forbidWorkloadFields(path: FieldPath, container: EphemeralContainer): FieldError[] {
  const set = Object.entries(container).filter(([field, value]) => !ephemeralFields.has(field) && !isUnset(value));
  const errors = set.map(([field]) => forbiddenField(path.child(field), notForEphemeral));
  for (const [index, { subPath, subPathExpr }] of (container.volumeMounts ?? []).entries()) {
    const mountPath = path.child('volumeMounts').index(index);
    if (subPath) errors.push(forbiddenField(mountPath.child('subPath'), notForEphemeral));
    if (subPathExpr) errors.push(forbiddenField(mountPath.child('subPathExpr'), notForEphemeral));
  }
  return errors;
}

function isUnset(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

/** Templates may have spaces around an image's name, which some tools use as a mark; pods may not. */
export function validateImageSpaces(path: FieldPath, { image = '' }: Container): FieldError[] {
  if (image.trim() === image) return [];
  return [invalidField(path.child('image'), image, 'must not have leading or trailing whitespace')];
}
