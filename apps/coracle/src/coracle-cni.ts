#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { runPlugin } from '@coracle/cni';
import { pluginHost } from '@coracle/platform-nodejs';

/** `coracle-cni`: the network plugin that container runtimes run. Where it stands as `loopback` it is that plugin too. */
const { stdout, exitCode } = runPlugin({
  environment: process.env,
  stdin: process.stdin.isTTY ? '' : readFileSync(0, 'utf8'),
  host: pluginHost(),
});
if (stdout) process.stdout.write(`${stdout}\n`);
process.exitCode = exitCode;
