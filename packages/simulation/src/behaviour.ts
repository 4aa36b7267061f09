import { parseDuration, parseQuantity, type Quantity, QuantityError } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** The prefix of annotations; `simulation.coracle.dev/exit-code.web` applies only to the container `web`. */
export const annotationPrefix = 'simulation.coracle.dev/';

/** How one container is simulated, stage by stage: pull → created → running → exited. */
export interface ContainerBehaviour {
  readonly pullDelayMs: Millis;
  readonly pullError: string | undefined;
  readonly createError: string | undefined;
  readonly startDelayMs: Millis;
  readonly startError: string | undefined;
  /** When its startup and readiness probes begin to succeed, counted from its start. */
  readonly readyDelayMs: Millis;
  /** When its liveness probe begins to fail, counted from its start. */
  readonly unhealthyAfterMs: Millis | undefined;
  /** `undefined`: it runs as its command does, or until it is stopped. */
  readonly exit: { readonly afterMs: Millis; readonly code: number; readonly reason?: string } | undefined;
  /** Time that it takes to stop; if longer than the grace period, it is killed. */
  readonly stopDelayMs: Millis;
  readonly stopCode: number;
  /** What its log holds, instead of the output of its command. */
  readonly says: readonly string[];
  readonly terminationMessage: string | undefined;
  /** Its resource usage. */
  readonly cpuCores: number;
  readonly memoryBytes: number;
  readonly diskBytes: number;
  readonly processes: number;
  /** The result of an exec of an unknown command. `undefined`: the program does not exist. */
  readonly unknownCommand: { readonly output: string; readonly exitCode: number } | undefined;
}

export interface BehaviourRequest {
  readonly annotations: Readonly<Record<string, string>>;
  readonly container: string;
  /** It ends at once: what is expected to end, and has a command that is not simulated. */
  readonly endsByDefault: boolean;
}

/** Exit code of a process that does not handle SIGTERM. */
const stoppedCode = 143;

const saysNothing: Readonly<Record<string, string>> = Object.freeze({});

export function behaviourOf(behaviourRequest: BehaviourRequest): ContainerBehaviour {
  const speaks = Object.keys(behaviourRequest.annotations).some((name) => name.startsWith(annotationPrefix));
  const request = speaks ? behaviourRequest : { ...behaviourRequest, annotations: saysNothing };
  const annotation = (name: string) => annotationOf(request, name);
  const logs = annotation('logs');
  return {
    pullDelayMs: durationOf(annotation('pull-delay')) ?? 0,
    pullError: annotation('pull-error'),
    createError: annotation('create-error'),
    startDelayMs: durationOf(annotation('start-delay')) ?? 0,
    startError: annotation('start-error'),
    readyDelayMs: durationOf(annotation('ready-delay')) ?? 0,
    unhealthyAfterMs: durationOf(annotation('unhealthy-after')),
    exit: exitOf(request),
    stopDelayMs: durationOf(annotation('stop-delay')) ?? 0,
    stopCode: Number(annotation('stop-code') ?? stoppedCode),
    says: logs === undefined ? [] : [`${logs}\n`],
    terminationMessage: annotation('termination-message'),
    cpuCores: coresOf(annotation('cpu-usage')) ?? 0,
    memoryBytes: quantityOf(annotation('memory-usage')) ?? 0,
    diskBytes: quantityOf(annotation('disk-usage')) ?? 0,
    processes: quantityOf(annotation('processes')) ?? 1,
    unknownCommand: unknownCommandOf(annotation('exec-output'), annotation('exec-code')),
  };
}

function unknownCommandOf(output: string | undefined, code: string | undefined): ContainerBehaviour['unknownCommand'] {
  if (output === undefined && code === undefined) return undefined;
  return { output: output === undefined ? '' : `${output}\n`, exitCode: Number(code ?? 0) };
}

function exitOf(request: BehaviourRequest): ContainerBehaviour['exit'] {
  const crashAfter = durationOf(annotationOf(request, 'crash-after'));
  if (crashAfter !== undefined) return { afterMs: crashAfter, code: Number(annotationOf(request, 'exit-code') ?? 1) };
  const code = annotationOf(request, 'exit-code');
  const after = durationOf(annotationOf(request, 'exit-after'));
  const reason = annotationOf(request, 'exit-reason');
  if (code !== undefined || after !== undefined)
    return { afterMs: after ?? 0, code: Number(code ?? 0), ...(reason && { reason }) };
  return request.endsByDefault ? { afterMs: 0, code: 0 } : undefined;
}

/** The annotations for this container, else for all. Most pods have none. */
function annotationOf({ annotations, container }: BehaviourRequest, name: string): string | undefined {
  if (annotations === saysNothing) return undefined;
  return annotations[`${annotationPrefix}${name}.${container}`] ?? annotations[annotationPrefix + name];
}

/** A duration such as `500ms`; an invalid text counts as absent. */
function durationOf(text: string | undefined): Millis | undefined {
  return text === undefined ? undefined : parseDuration(text);
}

/** CPUs such as `250m`. */
export function coresOf(text: string | undefined): number | undefined {
  return amountOf(text, (quantity) => quantity.milliValue() / 1_000);
}

/** An amount such as `500Mi`; an invalid text counts as absent. */
export function quantityOf(text: string | undefined): number | undefined {
  return amountOf(text, (quantity) => quantity.value());
}

function amountOf(text: string | undefined, read: (quantity: Quantity) => number): number | undefined {
  if (text === undefined) return undefined;
  try {
    return read(parseQuantity(text));
  } catch (error) {
    if (error instanceof QuantityError) return undefined;
    throw error;
  }
}
