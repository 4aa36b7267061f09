import { describe, expect, test } from 'vitest';
import { simulateCommand } from './simulate-command.js';

describe('simulateCommand', () => {
  const cases = [
    { command: ['true'], end: { afterMs: 0, exitCode: 0 } },
    { command: ['/bin/false'], end: { afterMs: 0, exitCode: 1 } },
    { command: ['sleep', '3600'], end: { afterMs: 3_600_000, exitCode: 0 } },
    { command: ['sleep', '1.5m'], end: { afterMs: 90_000, exitCode: 0 } },
    { command: ['sleep', 'infinity'], end: undefined },
    { command: ['sh', '-c', 'exit 7'], end: { afterMs: 0, exitCode: 7 } },
    { command: ['/bin/sh', '-ec', 'sleep 2; false'], end: { afterMs: 2_000, exitCode: 1 } },
    { command: ['sh', '-c', 'exit 3; sleep 5'], end: { afterMs: 0, exitCode: 3 } },
    { command: ['sh', '-c', 'echo made > /e/f'], end: { afterMs: 0, exitCode: 0 } },
  ];
  test.each(cases)('$command ends as it would', ({ command, end }) => {
    expect(simulateCommand(command)?.end).toEqual(end);
  });

  test('returns the output with its times', () => {
    expect(simulateCommand(['sh', '-c', 'echo "a b"; sleep 2; echo c && exit 1'])?.says).toEqual([
      { afterMs: 0, text: 'a b\n' },
      { afterMs: 2_000, text: 'c\n' },
    ]);
  });

  const unknown = [[], ['nginx'], ['sh', '-c', 'while :; do sleep 1; done'], ['sleep', 'long'], ['sh', 'script.sh']];
  test.each(unknown.map((command) => ({ command })))('does not know what $command does', ({ command }) => {
    expect(simulateCommand(command)).toBeUndefined();
  });
});
