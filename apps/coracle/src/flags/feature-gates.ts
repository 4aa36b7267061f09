import { FeatureGates, gateConflict, gateProblem, hasNoEffect } from '@coracle/cluster';
import { InvalidArgumentError } from 'commander';
import { parseSwitches } from './flag-values.js';

type Switches = Readonly<Record<string, boolean>>;

/** Gates are those of a component, of which there is one. */
const ownComponent = 'kube';

/** `NAME=BOOL,…` or `kube:NAME=BOOL,…`, added to earlier values. Values that upstream does not allow are rejected. */
export function parseFeatureGates(text: string, before: Switches = {}): Switches {
  const gates: Record<string, boolean> = {};
  for (const [key, value] of Object.entries(parseSwitches(text))) gates[gateName(key)] = value;
  for (const [name, value] of Object.entries(gates)) {
    const problem = gateProblem(name, value);
    if (problem !== undefined) throw new InvalidArgumentError(problem);
  }
  return { ...before, ...gates };
}

function gateName(key: string): string {
  const [component, name] = key.includes(':') ? key.split(':', 2) : [ownComponent, key];
  if (component !== ownComponent || name === undefined) {
    throw new InvalidArgumentError(`component not registered: ${component}`);
  }
  return name;
}

/** Gates that were set and have no effect. */
export function withoutEffect(gates: Switches): string[] {
  return Object.entries(gates)
    .filter(([name, value]) => hasNoEffect(name, value))
    .map(([name, value]) => `${name}=${value}`);
}

/** All gates together. Contradictory ones are rejected. */
export function combineGates(gates: Switches): FeatureGates {
  const problem = gateConflict(gates);
  if (problem !== undefined) throw new Error(problem);
  return new FeatureGates(gates);
}
