import { Pipe, seededRandom, VirtualClock } from '@coracle/base';
import type { ContainerConfig } from '@coracle/cri';
import { describe, expect, test } from 'vitest';
import { behaviourOf } from '../behaviour.js';
import { SimulatedDisk } from '../files/simulated-disk.js';
import { SimulatedContainer } from '../simulated-container.js';
import { SimulatedSandbox } from '../simulated-sandbox.js';
import { SimulatedStreams } from './simulated-streams.js';

/** A container that runs a command, and its exit. */
function started(config: ContainerConfig) {
  const clock = new VirtualClock();
  const sandbox = new SimulatedSandbox({ id: 's', config: { hostname: 'web' }, ip: undefined, createdAt: 0 });
  const behaviour = behaviourOf({
    annotations: {},
    container: 'web',
    endsByDefault: false,
  });
  const container = new SimulatedContainer({ id: 'c', sandboxId: 's', config, behaviour, imageRef: '', createdAt: 0 });
  container.started(1, 0);
  const streams = new SimulatedStreams({
    clock,
    random: seededRandom(7),
    containerOf: () => container,
    sandboxOf: () => sandbox,
    podOf: () => undefined,
    disk: new SimulatedDisk(),
  });
  const main = streams.runMain(container);
  void main?.then((code) => container.exited(2, code));
  return { clock, container, streams, main };
}

/** A client that attaches. */
function client() {
  const stdin = new Pipe<Uint8Array>(({ length }) => length);
  const gone = new AbortController();
  const output = { stdout: '', stderr: '' };
  const hear = (stream: keyof typeof output) => (chunk: Uint8Array) => {
    output[stream] += new TextDecoder().decode(chunk);
  };
  const sizes = new Pipe<never>();
  return {
    output,
    gone,
    type: (text: string) => stdin.write(new TextEncoder().encode(text)),
    end: () => stdin.end(),
    streams: { stdin, stdout: hear('stdout'), stderr: hear('stderr'), sizes, signal: gone.signal },
  };
}

describe('attach', () => {
  test('a shell reads the input, and the container ends with it', async () => {
    const { container, streams, main } = started({ command: ['sh'], stdin: true });
    const { output, type, streams: ends } = client();
    const attached = streams.attach({ containerId: 'c', stdin: true }, ends);
    type('echo hello\necho no >&2\nexit 3\n');
    expect(await main).toBe(3);
    await attached;
    expect(output).toEqual({ stdout: 'hello\n', stderr: 'no\n' });
    expect(container.status.exitCode).toBe(3);
    expect(container.log.lines.map(({ text, stream }) => `${stream} ${text}`)).toEqual(['stdout hello', 'stderr no']);
  });

  test('with a terminal, input is echoed, and the shell prints a prompt', async () => {
    const { streams, main } = started({ stdin: true, tty: true });
    const { output, type, streams: ends } = client();
    const attached = streams.attach({ containerId: 'c', stdin: true, tty: true }, ends);
    type('hostname\rexit\r');
    expect(await main).toBe(0);
    await attached;
    expect(output.stdout).toContain('hostname\r\nweb\r\n');
  });

  test('input that was for one client only ends with it', async () => {
    const { streams, main } = started({ command: ['cat'], stdin: true, stdinOnce: true });
    const { output, type, end, streams: ends } = client();
    const attached = streams.attach({ containerId: 'c', stdin: true }, ends);
    type('abc');
    end();
    expect(await main).toBe(0);
    await attached;
    expect(output.stdout).toBe('abc');
  });

  test('a client may disconnect and another connect', async () => {
    const { streams, main } = started({ command: ['cat'], stdin: true });
    const first = client();
    const left = streams.attach({ containerId: 'c', stdin: true }, first.streams);
    first.type('one');
    await new Promise<void>((resolve) => queueMicrotask(resolve));
    first.end();
    first.gone.abort();
    await left;
    const second = client();
    const attached = streams.attach({ containerId: 'c', stdin: true }, second.streams);
    second.type('two');
    await expect.poll(() => second.output.stdout).toContain('two');
    second.gone.abort();
    await attached;
    expect(main).toBeInstanceOf(Promise);
  });

  test('input that no command reads is discarded', async () => {
    const { streams, container } = started({ command: ['nginx'], stdin: true });
    const { output, type, gone, streams: ends } = client();
    const attached = streams.attach({ containerId: 'c', stdin: true }, ends);
    type('hello');
    container.log.write('served\n', 0);
    gone.abort();
    await attached;
    expect(output.stdout).toBe('served\n');
  });
});
