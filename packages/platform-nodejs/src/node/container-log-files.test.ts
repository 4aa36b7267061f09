import { appendFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeLogSource } from '@coracle/testing';
import { containerLogFiles } from './container-log-files.js';

describeLogSource('files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coracle-logs-'));
  const logPath = join(folder, '0.log');
  return {
    source: containerLogFiles,
    container: { logPath },
    unknown: { logPath: join(folder, '1.log') },
    writeLine: (text) => appendFile(logPath, `2026-01-01T00:00:00.000000000Z stdout F ${text}\n`),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
});
