import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { AuditLog } from './audit-log.js';
import { RotatingFile } from './rotating-file.js';

const rotation = { maxBytes: 1000, maxBackups: 0, maxAgeDays: 0, compresses: false };
const event = (auditID: string): string =>
  JSON.stringify({
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID,
    stage: 'ResponseComplete',
    requestURI: '/api',
    verb: 'get',
    user: { username: 'jane', groups: ['dev'] },
    requestReceivedTimestamp: '2026-01-02T03:04:05.000000Z',
    stageTimestamp: '2026-01-02T03:04:05.000000Z',
  });

test('events are in the file, readable by its owner alone, when they have been waited for', async () => {
  const path = join(await temporaryFolder(), 'audit.log');
  await using log = new AuditLog({ path, format: 'json', rotation: { ...rotation, maxBytes: 1e6 } });
  await Promise.all([log.process(event('1')), log.process(event('2'))]);
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).auditID)).toEqual(['1', '2']);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('the legacy format is one line of text', async () => {
  const path = join(await temporaryFolder(), 'audit.log');
  await using log = new AuditLog({ path, format: 'legacy', rotation });
  await log.process(event('1'));
  expect(await readFile(path, 'utf8')).toBe(
    '2026-01-02T03:04:05.000000Z AUDIT: id="1" stage="ResponseComplete" ip="<unknown>" method="get" user="jane" ' +
      'groups="dev" as="<self>" asgroups="<lookup>" user-agent="" namespace="<none>" uri="/api" response="<deferred>"\n',
  );
});

test.each([
  [{ maxBackups: 2 }, 3],
  [{ maxBackups: 0 }, 6],
  [{ maxBackups: 0, maxAgeDays: 2 }, 3],
])('a full file is rotated, and with %o there are %i files in the end', async (settings, count) => {
  const folder = await temporaryFolder();
  let now = Date.parse('2026-01-01T00:00:00Z');
  const file = new RotatingFile(join(folder, 'audit.log'), { ...rotation, ...settings }, () => now);
  for (let i = 0; i < 6; i++) {
    file.append(`${String(i).repeat(900)}\n`);
    now += 24 * 60 * 60 * 1000;
  }
  await file[Symbol.asyncDispose]();
  const names = await readdir(folder);
  expect(names.length).toBe(count);
  expect(names).toContain('audit-2026-01-06T00-00-00.000.log');
  expect(await readFile(join(folder, 'audit.log'), 'utf8')).toBe(`${'5'.repeat(900)}\n`);
});

test('rotated files are compressed on request', async () => {
  const folder = await temporaryFolder();
  const file = new RotatingFile(join(folder, 'audit.log'), { ...rotation, compresses: true });
  file.append('a'.repeat(900));
  file.append('b'.repeat(900));
  await file[Symbol.asyncDispose]();
  expect((await readdir(folder)).filter((name) => name.endsWith('.log.gz')).length).toBe(1);
});
