import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';
import type { LogEntry } from './logs.js';

const entries: Readonly<Record<string, LogEntry>> = {
  '': { kind: 'folder', names: ['pods/', 'a&b.log'] },
  'pods/web.log': { kind: 'file', isText: true, stream: { open: (sink) => sink.end() } },
};

describe('CHAIN-18 FLAG-19 /logs', () => {
  const start = async () => {
    const requestedPaths: string[] = [];
    const open = async (path: string) => {
      requestedPaths.push(path);
      return entries[path];
    };
    return { ...(await startTestServer({ logFiles: { open } })), requestedPaths };
  };

  test('lists folders and sends files', async () => {
    const { call, server } = await start();
    const { body, headers } = await call('GET', '/logs');
    expect(headers['content-type']).toBe('text/html; charset=utf-8');
    expect(body).toBe('<pre>\n<a href="pods/">pods/</a>\n<a href="a%26b.log">a&amp;b.log</a>\n</pre>\n');
    const peer = { user: { name: 'admin', groups: ['system:masters'] } };
    const file = await server.exchange({ method: 'GET', path: '/logs/pods/web.log', query: '', headers: {}, peer });
    expect([file.headers['content-type'], file.body.kind]).toEqual(['text/plain; charset=utf-8', 'stream']);
    expect((await call('GET', '/logs/nothing')).status).toBe(404);
    expect((await call('GET', '/')).body.paths).toContain('/logs');
  });

  test.each(['/logs/../passwd', '/logs/%2e%2e/passwd', '/logs/pods%2f..%2f..%2fpasswd', '/logs/%zz'])(
    'does not leave the folder: %s',
    async (path) => {
      const { call, requestedPaths } = await start();
      expect((await call('GET', path)).status).toBe(400);
      expect(requestedPaths).toEqual([]);
    },
  );

  test('is served only if there is a folder', async () => {
    const { call } = await startTestServer();
    expect((await call('GET', '/logs')).status).toBe(404);
  });
});
