#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { isatty } from 'node:tty';
import { isMainThread, workerData } from 'node:worker_threads';
import { runPlugin } from '@coracle/cni';
import { type PluginThreadData, pluginHost, servePluginCalls } from '@coracle/platform-nodejs';

/**
 * `coracle-cni`: the network plugin that container runtimes run. Under the name `loopback` it is that plugin too. As a
 * thread of the node's process it handles the calls that its shim hands over.
 */
if (isMainThread) {
  const { stdout, exitCode } = runPlugin({
    environment: process.env,
    // Not by `process.stdin`, which makes a pipe non-blocking: reading it before the runtime has written fails then.
    stdin: isatty(0) ? '' : readFileSync(0, 'utf8'),
    host: pluginHost(),
  });
  if (stdout) process.stdout.write(`${stdout}\n`);
  process.exitCode = exitCode;
} else {
  const { pluginSocket } = workerData as PluginThreadData;
  void servePluginCalls(pluginSocket, pluginHost());
}
