import {
  type FieldError,
  type FieldPath,
  forbiddenField,
  invalidField,
  isHttpHeaderName,
  isValidPortName,
  requiredField,
} from '@coracle/apimachinery';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe, SleepAction } from '../../generated/types/core-v1.js';
import type { IntOrString } from '../../generated/types/meta-v1.js';
import {
  checkNonNegative,
  checkPortNumber,
  checkSupported,
  checkValue,
  concat,
} from '../../validation/field-checks.js';

type Handler = LifecycleHandler & Probe;

export interface HandlerContext {
  /** Grace period of the pod; the sleep of a preStop hook must fit into it. */
  readonly gracePeriodSeconds: number | undefined;
}

export function validateLivenessProbe(
  path: FieldPath,
  probe: Probe | undefined,
  context: HandlerContext,
): FieldError[] {
  return probe ? [...validateProbe(path, probe, context), ...requireOneSuccess(path, probe)] : [];
}

export const validateStartupProbe = validateLivenessProbe;

export function validateReadinessProbe(
  path: FieldPath,
  probe: Probe | undefined,
  context: HandlerContext,
): FieldError[] {
  if (!probe) return [];
  const errors = validateProbe(path, probe, context);
  if (probe.terminationGracePeriodSeconds === undefined) return errors;
  const gracePath = path.child('terminationGracePeriodSeconds');
  const grace = probe.terminationGracePeriodSeconds;
  return concat(errors, [invalidField(gracePath, grace, 'must not be set for readinessProbes')]);
}

/** A container that is not alive or not started is restarted, so that there is no second success to wait for. */
function requireOneSuccess(path: FieldPath, { successThreshold = 0 }: Probe): FieldError[] {
  return successThreshold === 1 ? [] : [invalidField(path.child('successThreshold'), successThreshold, 'must be 1')];
}

const countFields = [
  'initialDelaySeconds',
  'timeoutSeconds',
  'periodSeconds',
  'successThreshold',
  'failureThreshold',
] as const;

function validateProbe(path: FieldPath, probe: Probe, context: HandlerContext): FieldError[] {
  const grace = probe.terminationGracePeriodSeconds;
  const errors = validateHandler(path, probe, context);
  for (const field of countFields)
    if ((probe[field] ?? 0) < 0) errors.push(...checkNonNegative(path.child(field), probe[field]));
  if (grace !== undefined && grace <= 0) {
    errors.push(invalidField(path.child('terminationGracePeriodSeconds'), grace, 'must be greater than 0'));
  }
  return errors;
}

export function validateLifecycle(
  path: FieldPath,
  lifecycle: Lifecycle | undefined,
  context: HandlerContext,
): FieldError[] {
  const { postStart, preStop } = lifecycle ?? {};
  return concat(
    postStart ? validateHandler(path.child('postStart'), postStart, context) : [],
    preStop ? validateHandler(path.child('preStop'), preStop, context) : [],
  );
}

/** In the order in which they are looked at: of several handlers the first is validated, the rest forbidden. */
const handlerTypes: readonly [
  keyof Handler & string,
  (path: FieldPath, handler: Handler, context: HandlerContext) => FieldError[],
][] = [
  ['exec', (path, { exec }) => (exec?.command?.length ? [] : [requiredField(path.child('command'))])],
  ['httpGet', (path, { httpGet }) => validateHttpGet(path, httpGet)],
  ['tcpSocket', (path, { tcpSocket }) => validatePortNumberOrName(path.child('port'), tcpSocket?.port)],
  ['grpc', (path, { grpc }) => checkPortNumber(path.child('port'), grpc?.port ?? 0)],
  ['sleep', (path, { sleep }, context) => validateSleep(path, sleep, context)],
];

function validateHandler(path: FieldPath, handler: Handler, context: HandlerContext): FieldError[] {
  let errors: FieldError[] | undefined;
  for (const [type, validate] of handlerTypes) {
    if (handler[type] === undefined) continue;
    if (errors === undefined) errors = validate(path.child(type), handler, context);
    else errors.push(forbiddenField(path.child(type), 'may not specify more than 1 handler type'));
  }
  return errors ?? [requiredField(path, 'must specify a handler type')];
}

const schemes = ['HTTP', 'HTTPS'];

function validateHttpGet(path: FieldPath, action: HTTPGetAction | undefined): FieldError[] {
  const { path: urlPath, port, scheme = '', httpHeaders = [] } = action ?? {};
  return concat(
    urlPath ? [] : [requiredField(path.child('path'))],
    validatePortNumberOrName(path.child('port'), port),
    checkSupported(path.child('scheme'), scheme, schemes),
    httpHeaders.flatMap(({ name = '' }) => checkValue(path.child('httpHeaders'), name, isHttpHeaderName)),
  );
}

function validatePortNumberOrName(path: FieldPath, port: IntOrString = 0): FieldError[] {
  return typeof port === 'number' ? checkPortNumber(path, port) : checkValue(path, port, isValidPortName);
}

function validateSleep(
  path: FieldPath,
  sleep: SleepAction | undefined,
  { gracePeriodSeconds }: HandlerContext,
): FieldError[] {
  const seconds = sleep?.seconds ?? 0;
  if (gracePeriodSeconds === undefined || (seconds >= 0 && seconds <= gracePeriodSeconds)) return [];
  const problem = `must be non-negative and less than terminationGracePeriodSeconds (${gracePeriodSeconds})`;
  return [invalidField(path, seconds, problem)];
}
