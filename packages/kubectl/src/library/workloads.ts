import { CommandError } from '../command/command-error.js';
import { autoscaler, createAutoscaler, metric, targetOf } from '../commands/autoscale.js';
import { type Debugged, debugTargets } from '../commands/debug.js';
import { serviceFor } from '../commands/expose.js';
import { podOf } from '../commands/run.js';
import type { Profile } from '../debugging/profiles.js';
import { services } from '../resources/services.js';
import type { Fields } from '../values.js';
import { contextOf, type FlagRecord } from './command-context.js';
import type { Session } from './session.js';
import { infoOf } from './targets.js';
import { create, parametersOf, type WriteOptions } from './write.js';

export type { Debugged };

/**
 * The object of a `create` command, without creating it: `generate(session, 'deployment', 'web', { image: ['nginx']
 * })`. Flags have the names of the command line; the arguments behind `--` are `command`.
 */
export async function generate(
  session: Session,
  kind: string,
  name: string,
  { command, ...flags }: FlagRecord & { readonly command?: readonly string[] } = {},
): Promise<Fields> {
  const words = { command: `create ${kind}`, args: [name], flags, ...(command && { rest: command }) };
  const context = await contextOf(session, words);
  if (!context.command.generate) throw new CommandError(`there is no generator for ${JSON.stringify(kind)}`);
  const missing = (context.command.requiredFlags ?? []).filter((flag) => !context.flags.changed(flag));
  if (missing.length > 0) throw new CommandError(`required: ${missing.join(', ')}`);
  return (await (await context.command.generate()).generate(context)).object;
}

export interface RunPodOptions extends WriteOptions {
  readonly image: string;
  /** Arguments of the image, or with `asCommand` what is run instead of it. */
  readonly args?: readonly string[];
  readonly asCommand?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly port?: number;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly privileged?: boolean;
}

/** Runs an image in a pod. */
export async function runPod(session: Session, name: string, options: RunPodOptions): Promise<Fields> {
  const pairs = (values: Readonly<Record<string, string>> = {}) =>
    Object.entries(values).map(([key, value]) => `${key}=${value}`);
  const flags = {
    image: options.image,
    command: options.asCommand,
    env: pairs(options.env),
    labels: options.labels && pairs(options.labels).join(','),
    annotations: pairs(options.annotations),
    port: options.port?.toString(),
    restart: options.restartPolicy,
    privileged: options.privileged,
  };
  const context = await contextOf(session, { command: 'run', args: [name], flags });
  return create(session, podOf(context, name, options.args ?? []), { fieldManager: 'kubectl-run', ...options });
}

export interface ExposeOptions extends WriteOptions {
  readonly name?: string;
  /** The ports that the containers declare, by default. */
  readonly port?: number | readonly number[];
  readonly targetPort?: number | string;
  readonly protocol?: 'TCP' | 'UDP' | 'SCTP';
  readonly type?: 'ClusterIP' | 'NodePort' | 'LoadBalancer' | 'ExternalName';
  readonly clusterIP?: string;
  readonly sessionAffinity?: 'None' | 'ClientIP';
}

/** Makes a service for the pods of a workload, a pod or another service. */
export async function expose(session: Session, resource: string, options: ExposeOptions = {}): Promise<Fields> {
  const { port } = options;
  const flags = {
    name: options.name,
    port: typeof port === 'object' ? port.join(',') : port?.toString(),
    'target-port': options.targetPort?.toString(),
    protocol: options.protocol,
    type: options.type,
    'cluster-ip': options.clusterIP,
    'session-affinity': options.sessionAffinity,
  };
  const info = await infoOf(session, resource, options.namespace);
  const object = serviceFor(await contextOf(session, { command: 'expose', flags }), info);
  if (options.dryRun === 'client') return object;
  const target = { mapping: services, namespace: info.namespace };
  return (await session.helper()).create(target, object, parametersOf(options, 'kubectl-expose'));
}

export interface AutoscaleOptions extends WriteOptions {
  readonly name?: string;
  readonly min?: number;
  readonly max: number;
  /** `80%` of what pods request, or an amount for each. */
  readonly cpu?: string;
  readonly memory?: string;
}

/** Makes a horizontal pod autoscaler for whatever can be scaled. */
export async function autoscale(session: Session, resource: string, options: AutoscaleOptions): Promise<Fields> {
  const { name = '', min = -1, max, cpu, memory } = options;
  if (max < 1 || max < min) throw new CommandError(`max must be at least 1 and at least min, it is ${max}`);
  const metrics = Object.entries({ cpu, memory }).flatMap(([one, text]) =>
    text === undefined ? [] : [metric(one, targetOf(one, text))],
  );
  const info = await infoOf(session, resource, options.namespace);
  const object = autoscaler(info, { name, min, max, metrics });
  if (options.dryRun === 'client') return object;
  const parameters = parametersOf(options, 'kubectl-autoscale');
  return createAutoscaler(await session.context.factory.client(), info, { object, metrics, parameters });
}

export interface DebugOptions {
  readonly namespace?: string;
  readonly image?: string;
  /** Of the debug container; a random one by default. */
  readonly container?: string;
  readonly command?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly profile?: Profile;
  /** The container whose processes are to be seen. */
  readonly target?: string;
  /** Debugs a copy of this name instead of the pod itself. */
  readonly copyTo?: string;
  readonly setImages?: Readonly<Record<string, string>>;
  readonly replace?: boolean;
  readonly sameNode?: boolean;
  readonly shareProcesses?: boolean;
  readonly stdin?: boolean;
  readonly tty?: boolean;
}

/** Makes a container to debug a pod (`web`) or a node (`node/a`) with. `attach` and `exec` reach it once it runs. */
export async function debug(session: Session, target: string, options: DebugOptions): Promise<Debugged> {
  const pairs = (values: Readonly<Record<string, string>> | undefined) =>
    values && Object.entries(values).map(([key, value]) => `${key}=${value}`);
  const flags = {
    image: options.image,
    container: options.container,
    env: pairs(options.env),
    profile: options.profile ?? 'general',
    target: options.target,
    'copy-to': options.copyTo,
    'set-image': pairs(options.setImages),
    replace: options.replace,
    'same-node': options.sameNode,
    'share-processes': options.shareProcesses,
    stdin: options.stdin,
    tty: options.tty,
    quiet: true,
  };
  const words = { command: 'debug', args: [target], flags, ...(options.command && { rest: options.command }) };
  for await (const debugged of debugTargets(await contextOf(session.in(options.namespace), words))) return debugged;
  throw new CommandError(`${target} does not name an object`);
}
