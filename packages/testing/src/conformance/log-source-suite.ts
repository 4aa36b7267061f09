import type { ContainerStatus } from '@coracle/cri';
import type { LogFile, LogSource } from '@coracle/kubelet';
import { describe, expect, test } from 'vitest';

/** A container whose log can be written to, and what reads it. */
export interface LogSourceHarness extends AsyncDisposable {
  readonly source: LogSource;
  readonly container: ContainerStatus;
  /** One that has no log. */
  readonly unknown: ContainerStatus;
  /** The container writes a line to its standard output. */
  writeLine(text: string): Promise<void>;
}

async function opened({ source, container }: LogSourceHarness): Promise<LogFile> {
  const file = await source.open(container);
  if (!file) throw new Error('the container has no log');
  return file;
}

const textFrom = async (file: LogFile, offset: number) =>
  new TextDecoder().decode(await file.read(offset, (await file.size()) - offset));

/** The lines without the time that each begins with. */
const linesOf = (text: string) => text.split('\n').map((line) => line.replace(/^\d{4}-\d\d-\d\dT[\d:.]+Z /, ''));

/** Requirements of the kubelet on logs of containers. */
export function describeLogSource(name: string, start: () => Promise<LogSourceHarness>): void {
  describe(`log source contract: ${name}`, () => {
    test('a log is read as CRI runtimes write it, from any offset to its end', async () => {
      await using harness = await start();
      await harness.writeLine('one');
      await harness.writeLine('two');
      await using file = await opened(harness);
      const whole = await textFrom(file, 0);
      expect(linesOf(whole)).toEqual(['stdout F one', 'stdout F two', '']);
      expect(await textFrom(file, whole.indexOf('one'))).toBe(whole.slice(whole.indexOf('one')));
      expect((await file.read(0, 4)).length).toBe(4);
      expect((await file.read(await file.size(), 100)).length).toBe(0);
    });

    test('a waiting reader is notified of new data, and continues where it stopped', async () => {
      await using harness = await start();
      await harness.writeLine('one');
      await using file = await opened(harness);
      for (const text of ['two', 'three']) {
        const before = await file.size();
        const changed = file.changed(new AbortController().signal);
        await harness.writeLine(text);
        await changed;
        expect(linesOf(await textFrom(file, before))).toEqual([`stdout F ${text}`, '']);
      }
    });

    test('waiting ends when its signal aborts, also if it had before', async () => {
      await using harness = await start();
      await harness.writeLine('one');
      await using file = await opened(harness);
      const waiting = new AbortController();
      const changed = file.changed(waiting.signal);
      waiting.abort();
      await changed;
      await file.changed(AbortSignal.abort());
    });

    test('there is no successor unless the log was rotated', async () => {
      await using harness = await start();
      await harness.writeLine('one');
      await using file = await opened(harness);
      expect(await file.successor()).toBeUndefined();
    });

    test('a container without a log has none', async () => {
      await using harness = await start();
      expect(await harness.source.open(harness.unknown)).toBeUndefined();
    });
  });
}
