import { formatTemplateValue, formatTime, formatYaml, type TemplateFunction } from '@coracle/apimachinery';
import type { Millis } from '@coracle/base';

/** Functions of templates that read the environment. */
export interface StageWorld {
  readonly now: Millis;
  /** When the simulation began. */
  readonly startedAt: Millis;
  /** The node that the object is, or that it is on. */
  readonly nodeName: string;
  readonly version: string;
  nodeIp(nodeName: string): string;
  /** The same for each call about one pod. */
  podIp(pod: { readonly nodeName: string; readonly hostNetwork: boolean; readonly uid: string }): string;
}

/** The conditions of a node that is well. */
const nodeConditions = [
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
  {
    type: 'MemoryPressure',
    status: 'False',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  {
    type: 'DiskPressure',
    status: 'False',
    reason: 'KubeletHasNoDiskPressure',
    message: 'kubelet has no disk pressure',
  },
  {
    type: 'PIDPressure',
    status: 'False',
    reason: 'KubeletHasSufficientPID',
    message: 'kubelet has sufficient PID available',
  },
  { type: 'NetworkUnavailable', status: 'False', reason: 'RouteCreated', message: 'RouteController created a route' },
];

type Functions = Readonly<Record<string, TemplateFunction>>;

const isEmpty = (value: unknown) =>
  value === null ||
  value === undefined ||
  value === '' ||
  value === false ||
  value === 0 ||
  value === 0n ||
  (typeof value === 'object' && Object.keys(value).length === 0);

const text = (value: unknown) => (value === null || value === undefined ? '' : formatTemplateValue(value));
const whole = (value: unknown) => BigInt(Math.trunc(Number(text(value) || '0')));
const keyed = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

/** Those of the Sprig library that stages use. */
const libraryFunctions: Functions = {
  dict: (...pairs) =>
    Object.fromEntries(pairs.flatMap((key, i) => (i % 2 === 0 ? [[text(key), pairs[i + 1] ?? '']] : []))),
  list: (...items) => items,
  default: (fallback, value) => (isEmpty(value) ? fallback : value),
  coalesce: (...values) => values.find((value) => !isEmpty(value)) ?? null,
  ternary: (yes, no, condition) => (condition === true ? yes : no),
  empty: isEmpty,
  hasKey: (object, key) => Object.hasOwn(keyed(object), text(key)),
  get: (object, key) => keyed(object)[text(key)] ?? '',
  toString: text,
  int: whole,
  add: (...numbers) => numbers.map(whole).reduce((a, b) => a + b, 0n),
  sub: (a, b) => whole(a) - whole(b),
  mul: (...numbers) => numbers.map(whole).reduce((a, b) => a * b, 1n),
  div: (a, b) => whole(a) / whole(b),
  mod: (a, b) => whole(a) % whole(b),
  upper: (value) => text(value).toUpperCase(),
  lower: (value) => text(value).toLowerCase(),
  trim: (value) => text(value).trim(),
  contains: (part, value) => text(value).includes(text(part)),
  hasPrefix: (part, value) => text(value).startsWith(text(part)),
  hasSuffix: (part, value) => text(value).endsWith(text(part)),
  replace: (from, to, value) => text(value).replaceAll(text(from), text(to)),
  join: (separator, list) => (Array.isArray(list) ? list.map(text).join(text(separator)) : text(list)),
  quote: (...values) => values.map((value) => JSON.stringify(text(value))).join(' '),
};

/** The functions of KWOK's templates, about a world. */
export function stageFunctions(world: StageWorld): Functions {
  const nodeIp = (name: unknown) => world.nodeIp(text(name));
  return {
    ...libraryFunctions,
    Quote: (value) => JSON.stringify(text(value)),
    Now: () => formatTime(world.now),
    StartTime: () => formatTime(world.startedAt),
    Version: () => world.version,
    YAML: (value, indent) => indented(formatYaml(plain(value)), Number(indent ?? 0)),
    NodeConditions: () => nodeConditions,
    NodeName: () => world.nodeName,
    NodeIP: () => nodeIp(world.nodeName),
    NodePort: () => 0n,
    NodeIPWith: nodeIp,
    PodIPWith: (nodeName, hostNetwork, uid) =>
      world.podIp({ nodeName: text(nodeName), hostNetwork: hostNetwork === true, uid: text(uid) }),
  };
}

/** So many steps of two spaces before each line. */
function indented(yaml: string, steps: number): string {
  return steps > 0 ? `\n${yaml}`.replaceAll('\n', `\n${'  '.repeat(steps)}`) : yaml;
}

/** Integers in templates are BigInts, which YAML does not have. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
}

export const stageFunctionNames: readonly string[] = Object.keys(
  stageFunctions({ now: 0, startedAt: 0, nodeName: '', version: '', nodeIp: () => '', podIp: () => '' }),
);
