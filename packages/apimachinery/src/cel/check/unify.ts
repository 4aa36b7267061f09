import { CelType, dynType, sameType } from '../values/cel-type.js';

/** The bindings of type parameters by name. Immutable, so that a failed attempt has no effect. */
export type Substitution = ReadonlyMap<string, CelType>;

/** The substitution with which every type of `from` is assignable to the one of `to`; `undefined` if there is none. */
export function assignAll(
  substitution: Substitution,
  from: readonly CelType[],
  to: readonly CelType[],
): Substitution | undefined {
  if (from.length !== to.length) return undefined;
  const trial = new Map(substitution);
  return from.every((type, i) => assignable(trial, type, to[i] ?? dynType)) ? trial : undefined;
}

export function assign(substitution: Substitution, from: CelType, to: CelType): Substitution | undefined {
  return assignAll(substitution, [from], [to]);
}

type Trial = Map<string, CelType>;

function assignable(trial: Trial, from: CelType, to: CelType): boolean {
  if (to.kind === 'parameter') return assignToParameter(trial, from, to);
  if (from.kind === 'parameter') return assignToParameter(trial, to, from);
  if (from.isDynamic || to.isDynamic) return true;
  if (from.kind === 'null') return isNullable(to);
  if (to.kind === 'null') return isNullable(from);
  if (from.kind === 'wrapper' || to.kind === 'wrapper') return assignable(trial, unwrapped(from), unwrapped(to));
  if (from.kind === 'type' && to.kind === 'type') return true;
  return from.kind === to.kind && from.name === to.name && assignParameters(trial, from, to);
}

function unwrapped(type: CelType): CelType {
  return type.kind === 'wrapper' ? (type.parameters[0] ?? dynType) : type;
}

function assignParameters(trial: Trial, from: CelType, to: CelType): boolean {
  return (
    from.parameters.length === to.parameters.length &&
    from.parameters.every((type, i) => assignable(trial, type, to.parameters[i] ?? dynType))
  );
}

function assignToParameter(trial: Trial, type: CelType, parameter: CelType): boolean {
  if (sameType(type, parameter)) return true;
  const bound = trial.get(parameter.name);
  if (bound) {
    if (!assignable(trial, type, bound)) return false;
    const general = mostGeneral(type, bound);
    if (!mentions(trial, general, parameter)) trial.set(parameter.name, general);
    return true;
  }
  if (type.kind === 'parameter' && trial.has(type.name)) return assignToParameter(trial, parameter, type);
  if (mentions(trial, type, parameter)) return false;
  trial.set(parameter.name, type);
  return true;
}

/** Whether a type, with what its parameters stand for, contains the parameter: it would be infinite. */
function mentions(substitution: Substitution, type: CelType, parameter: CelType): boolean {
  if (sameType(type, parameter)) return true;
  if (type.kind === 'parameter') {
    const bound = substitution.get(type.name);
    return bound !== undefined && mentions(substitution, bound, parameter);
  }
  return type.parameters.some((inner) => mentions(substitution, inner, parameter));
}

function isNullable({ kind }: CelType): boolean {
  return nullable.has(kind);
}

const nullable: ReadonlySet<string> = new Set([
  'null',
  'dyn',
  'error',
  'object',
  'opaque',
  'wrapper',
  'duration',
  'timestamp',
]);

/** The type with every bound parameter replaced; free ones become `dyn` on request. */
export function substitute(substitution: Substitution, type: CelType, freeToDyn: boolean): CelType {
  if (type.kind === 'parameter') {
    const bound = substitution.get(type.name);
    if (bound) return substitute(substitution, bound, freeToDyn);
    return freeToDyn ? dynType : type;
  }
  if (type.parameters.length === 0) return type;
  const parameters = type.parameters.map((inner) => substitute(substitution, inner, freeToDyn));
  if (parameters.every((inner, i) => inner === type.parameters[i])) return type;
  return new CelType(type.kind, type.name, parameters, type.fieldType);
}

function mostGeneral(a: CelType, b: CelType): CelType {
  return lessSpecific(a, b) ? a : b;
}

/** Whether `a` says as little as `b` or less: `dyn` says least. */
export function lessSpecific(a: CelType, b: CelType): boolean {
  if (a.isDynamic || a.kind === 'parameter') return true;
  if (b.isDynamic || b.kind === 'parameter') return false;
  if (a.kind === 'null') return false;
  if (b.kind === 'null') return isNullable(a);
  if (a.kind === 'wrapper') return true;
  if (a.kind !== b.kind || a.name !== b.name) return false;
  return a.parameters.every((inner, i) => lessSpecific(inner, b.parameters[i] ?? dynType));
}

/** The type of a list whose items have these types so far, or `dyn` when they differ. */
export function join(substitution: Substitution, previous: CelType | undefined, current: CelType) {
  if (!previous) return { type: current, substitution };
  const next = assign(substitution, previous, current);
  if (next) return { type: mostGeneral(previous, current), substitution: next };
  return { type: dynType, substitution };
}
