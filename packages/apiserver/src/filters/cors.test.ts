import { describe, expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

const page = { origin: 'https://console.example.com' };
const allowed = { corsAllowedOrigins: ['^https://console\\.example\\.com$'] };

describe('FILTER-09 calls from web pages', () => {
  test('get no CORS headers unless an origin is allowed', async () => {
    const { call } = await startTestServer();
    const { headers } = await call('GET', '/version', undefined, page);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('are allowed from an origin that matches', async () => {
    const { call } = await startTestServer(allowed);
    const { status, headers } = await call('GET', '/version', undefined, page);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'access-control-allow-origin': page.origin,
      'access-control-allow-credentials': 'true',
      'access-control-expose-headers': 'Date',
    });
  });

  test('may read the errors of their requests', async () => {
    const { call } = await startTestServer({ ...allowed, authenticators: () => [] });
    const { status, headers } = await call('GET', '/api/v1/namespaces/default/pods/none', undefined, page);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(headers).toMatchObject({ 'access-control-allow-origin': page.origin });
  });

  test('are checked by a preflight, without credentials', async () => {
    const { call } = await startTestServer({ ...allowed, authenticators: () => [] });
    const { status, headers } = await call('OPTIONS', '/api/v1/pods', undefined, page);
    expect(status).toBe(204);
    expect(headers['access-control-allow-methods']).toBe('POST, GET, OPTIONS, PUT, DELETE, PATCH');
  });

  test('are not allowed from another origin', async () => {
    const { call } = await startTestServer(allowed);
    const { headers } = await call('GET', '/version', undefined, { origin: 'https://console.example.com.evil.org' });
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});
