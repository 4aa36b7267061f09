import { gateProblem, hasNoEffect } from '@coracle/cluster';
import { InvalidArgumentError } from 'commander';
import { parseSwitches } from './flag-values.js';

type Switches = Readonly<Record<string, boolean>>;

/** `NAME=BOOL,…`, added to what was given before. What the release does not let be set so is refused. */
export function parseFeatureGates(text: string, before: Switches = {}): Switches {
  const wanted = parseSwitches(text);
  for (const [name, value] of Object.entries(wanted)) {
    const problem = gateProblem(name, value);
    if (problem !== undefined) throw new InvalidArgumentError(problem);
  }
  return { ...before, ...wanted };
}

/** Those that ask for something which nothing here does. */
export function withoutEffect(gates: Switches): string[] {
  return Object.entries(gates)
    .filter(([name, value]) => hasNoEffect(name, value))
    .map(([name, value]) => `${name}=${value}`);
}
