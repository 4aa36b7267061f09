import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pluginHost } from './plugin-host.js';
import { servePluginCalls } from './plugin-server.js';
import { canHandOver, pluginShim } from './plugin-shim.js';

const config = JSON.stringify({ cniVersion: '1.0.0', name: 'ünïcode', type: 'coracle-cni' });

describe.skipIf(!canHandOver('/run/plugin.sock') || !existsSync('/proc/self/ns/net'))('the shim of the plugin', () => {
  let folder: string;
  let socket: string;
  let shim: string;
  let server: Server | undefined;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "coracle-sh'im-"));
    [socket, shim] = [join(folder, 'plugin.sock'), join(folder, 'coracle-cni')];
    const program = join(folder, 'program.cjs');
    const text = 'process.stdout.write("itself " + process.env.CNI_COMMAND + require("fs").readFileSync(0))';
    writeFileSync(program, text);
    writeFileSync(shim, pluginShim({ node: process.execPath, program, socket }));
    chmodSync(shim, 0o755);
  });
  afterEach(() => {
    server?.close();
    server = undefined;
    rmSync(folder, { recursive: true });
  });

  async function call(command: string, input: string): Promise<{ readonly code: number; readonly stdout: string }> {
    const child = spawn(shim, { env: { CNI_COMMAND: command, CNI_CONTAINERID: 'c1', OTHER: 'x' } });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stdin.end(input);
    const code = await new Promise<number>((resolve) => child.once('close', resolve));
    return { code, stdout };
  }

  /** Takes calls in another way than a node's process. */
  async function serve(onGreeting: (write: (text: string) => void, end: () => void) => void): Promise<void> {
    server = createServer({ allowHalfOpen: true }, (peer) => {
      peer.once('data', () =>
        onGreeting(
          (text) => peer.write(text),
          () => peer.destroy(),
        ),
      );
      peer.on('error', () => undefined);
    });
    await new Promise<void>((resolve) => server?.listen(socket, resolve));
  }

  test('passes a call to the process of the node, and exits with its result', async () => {
    server = await servePluginCalls(socket, pluginHost());
    const version = await call('VERSION', config);
    expect(version.code).toBe(0);
    expect(JSON.parse(version.stdout)).toMatchObject({ cniVersion: '1.0.0' });
    const refusal = await call('ADD', config);
    expect(refusal.code).toBe(1);
    expect(JSON.parse(refusal.stdout)).toMatchObject({ cniVersion: '1.0.0', msg: expect.stringMatching(/./) });
  });

  test('becomes the program where no process listens', async () => {
    expect(await call('ADD', config)).toEqual({ code: 0, stdout: `itself ADD${config}` });
  });

  test('becomes the program where the node has other namespaces', async () => {
    await serve((_write, end) => end());
    expect(await call('DEL', config)).toEqual({ code: 0, stdout: `itself DEL${config}` });
  });

  test('asks the runtime to try again when the process of the node ends meanwhile', async () => {
    await serve((write, end) => {
      write('+');
      setTimeout(end, 100);
    });
    const { code, stdout } = await call('ADD', config);
    expect([code, JSON.parse(stdout).code]).toEqual([1, 11]);
  });
});
