#!/usr/bin/env node
import { runCli } from './cli.js';

// What has been stopped may leave turns and timers behind; nobody should wait for them.
process.exit(await runCli(process.argv.slice(2)));
