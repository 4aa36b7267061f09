import { asStatusError, type KubeObject } from '@coracle/apimachinery';
import { type Client, exec, type TerminalSize } from '@coracle/client';
import { FitAddon } from '@xterm/addon-fit';
import { Terminal } from '@xterm/xterm';
import { useEffect, useRef, useState } from 'react';
import { useCluster } from '../data/cluster.js';
import { containersOf } from '../model/pod-containers.js';
import { useWords } from '../words/use-words.js';

/** A shell in a container, over the API's exec. */
export default function TerminalTab({ pod }: { readonly pod: KubeObject }) {
  const w = useWords();
  const { client } = useCluster();
  const containers = containersOf(pod);
  const box = useRef<HTMLDivElement>(null);
  const [container, setContainer] = useState(containers[0] ?? '');
  const [command, setCommand] = useState('sh');
  const [round, setRound] = useState(0);
  const { name = '', namespace = '' } = pod.metadata;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each round is a separate shell; a command takes effect with the next.
  useEffect(() => {
    if (!box.current) return;
    const words = command.split(/\s+/).filter(Boolean);
    const session = openTerminal(
      box.current,
      { client, namespace, pod: name, container, command: words },
      w.shellEnded,
    );
    return () => session[Symbol.dispose]();
  }, [client, namespace, name, container, round]);
  return (
    <>
      <div className="bar">
        <label>
          {w.container}
          <select value={container} onChange={(event) => setContainer(event.target.value)}>
            {containers.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label>
          {w.command}
          <input type="text" value={command} onChange={(event) => setCommand(event.target.value)} />
        </label>
        <button type="button" className="button" onClick={() => setRound(round + 1)}>
          {w.reconnect}
        </button>
      </div>
      <div className="shell" ref={box} />
    </>
  );
}

interface ShellOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  readonly command: readonly string[];
}

function openTerminal(box: HTMLElement, options: ShellOptions, ended: (how: string) => string): Disposable {
  const terminal = new Terminal({
    fontSize: 13,
    cursorBlink: true,
    screenReaderMode: true,
    theme: { background: '#0b0f14' },
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.open(box);
  fit.fit();
  const stop = new AbortController();
  const input = new PushedItems<Uint8Array>();
  const sizes = new PushedItems<TerminalSize>();
  terminal.onData((text) => input.push(new TextEncoder().encode(text)));
  terminal.onResize(({ cols, rows }) => sizes.push({ width: cols, height: rows }));
  sizes.push({ width: terminal.cols, height: terminal.rows });
  const observer = new ResizeObserver(() => fit.fit());
  observer.observe(box);
  const { client, ...where } = options;
  exec(client, {
    ...where,
    tty: true,
    stdin: input,
    sizes,
    stdout: (chunk) => terminal.write(chunk),
    signal: stop.signal,
  }).then(
    ({ exitCode }) => terminal.write(`\r\n${ended(String(exitCode))}\r\n`),
    (error: unknown) => {
      if (!stop.signal.aborted) terminal.write(`\r\n${ended(asStatusError(error).message)}\r\n`);
    },
  );
  terminal.focus();
  return {
    [Symbol.dispose]: () => {
      observer.disconnect();
      stop.abort();
      terminal.dispose();
    },
  };
}

/** Items as they are pushed, for a reader that waits for the next. */
class PushedItems<T> implements AsyncIterable<T> {
  readonly #items: T[] = [];
  #wake: () => void = () => {};

  push(item: T): void {
    this.#items.push(item);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for (;;) {
      for (let item = this.#items.shift(); item !== undefined; item = this.#items.shift()) yield item;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}
