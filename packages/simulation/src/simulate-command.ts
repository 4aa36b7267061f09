import type { Millis } from '@coracle/base';

/** The behaviour of a process that runs `command`: it writes output, and ends after a while, or never. */
export interface SimulatedCommand {
  /** What it says, each at its time after the start. */
  readonly says: readonly { readonly afterMs: Millis; readonly text: string }[];
  /** When it ends by itself; `undefined` for a process that runs until it is stopped. */
  readonly end: { readonly afterMs: Millis; readonly exitCode: number } | undefined;
}

const shells = new Set(['sh', 'bash', 'ash', '/bin/sh', '/bin/bash', '/bin/ash', '/usr/bin/bash']);

/**
 * Simulates the few commands that examples and tests use: `true`, `false`, `exit`, `echo`, `sleep`, and shell scripts
 * of these. `undefined` for any other, whose behaviour is not known.
 */
export function simulateCommand(command: readonly string[]): SimulatedCommand | undefined {
  const [name = '', flag = '', script = ''] = command;
  if (shells.has(name) && /^-[a-z]*c$/.test(flag)) return simulateScript(script);
  return simulateSteps([command]);
}

function simulateScript(script: string): SimulatedCommand | undefined {
  const steps = script
    .split(/;|&&|\n/)
    .map((step) => step.replace(/\s*\d?>{1,2}\s*\S+/g, ' ').trim())
    .filter((step) => step !== '' && !step.startsWith('#'));
  return simulateSteps(steps.map(words));
}

function simulateSteps(steps: readonly (readonly string[])[]): SimulatedCommand | undefined {
  const says: { afterMs: Millis; text: string }[] = [];
  let afterMs = 0;
  let exitCode = 0;
  for (const [name = '', ...operands] of steps) {
    const outcome = playStep(name.replace(/^(\/usr)?\/bin\//, ''), operands);
    if (!outcome) return undefined;
    if (outcome.output) says.push({ afterMs, text: outcome.output });
    if (outcome.lastsMs === Number.POSITIVE_INFINITY) return { says, end: undefined };
    afterMs += outcome.lastsMs ?? 0;
    exitCode = outcome.exitCode ?? 0;
    if (outcome.leaves) break;
  }
  return { says, end: { afterMs, exitCode } };
}

interface StepOutcome {
  readonly output?: string;
  readonly lastsMs?: Millis;
  readonly exitCode?: number;
  /** Nothing after it runs. */
  readonly leaves?: boolean;
}

function playStep(name: string, operands: readonly string[]): StepOutcome | undefined {
  if (name === 'true' || name === ':' || name === 'set' || name === 'mkdir' || name === 'touch') return {};
  if (name === 'false') return { exitCode: 1 };
  if (name === 'echo') return { output: `${operands.filter((one) => one !== '-n' && one !== '-e').join(' ')}\n` };
  if (name === 'exit') return { exitCode: Number(operands[0] ?? 0) & 0xff, leaves: true };
  if (name === 'sleep') return sleepOf(operands[0] ?? '');
  return undefined;
}

const secondsByUnit: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

function sleepOf(span: string): StepOutcome | undefined {
  const lastsMs = spanMs(span);
  return lastsMs === undefined ? undefined : { lastsMs };
}

/** How long `sleep` sleeps: `5`, `1.5m`, `infinity`. */
export function spanMs(span: string): Millis | undefined {
  if (span === 'infinity' || span === 'inf') return Number.POSITIVE_INFINITY;
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(span);
  if (!match) return undefined;
  return Number(match[1]) * (secondsByUnit[match[2] || 's'] ?? 1) * 1_000;
}

/** Splits at spaces, but not within quotes. */
function words(step: string): string[] {
  return [...step.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
}
