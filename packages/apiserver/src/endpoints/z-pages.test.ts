import { describe, expect, test } from 'vitest';
import { FeatureGates } from '../features/feature-gates.js';
import { startTestServer } from '../server.fixture.js';

async function start(features = new FeatureGates({})) {
  const { server, clock } = await startTestServer({ features, flags: { v: '2', 'etcd-prefix': '/registry' } });
  const get = async (path: string, accept?: string) => {
    const headers = accept === undefined ? {} : { accept };
    const {
      status,
      body,
      headers: answered,
    } = await server.exchange({
      method: 'GET',
      path,
      query: '',
      headers,
      peer: { user: { name: 'admin', groups: ['system:masters'] } },
    });
    const text = body.kind === 'bytes' ? body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('') : '';
    return { status, text, headers: answered };
  };
  return { get, clock };
}

describe('pages about the server itself', () => {
  test('/statusz reports the start time, and further paths', async () => {
    const { get, clock } = await start();
    await clock.advance(3_725_000);
    const { text, headers } = await get('/statusz');
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    const [, title, warning, , ...lines] = text.split('\n');
    expect(title).toBe('kube-apiserver statusz');
    expect(warning).toMatch(/^Warning: This endpoint is not meant to be machine parseable/);
    expect(lines[0]).toMatch(/^Started(:|: |=| ) Thu Jan {2}1 00:00:00 UTC 2026$/);
    expect(lines[1]).toMatch(/^Up.{1,2} 1 hr 02 min 05 sec$/);
    expect(lines[3]).toMatch(/^Binary version.{1,2} 1\.36\./);
    expect(lines[4]).toMatch(/^Emulation version.{1,2} 1\.36$/);
    expect(lines[5]).toMatch(/^Paths.{1,2} \/flagz \/healthz \/livez .*\/version$/);
    expect(text).not.toMatch(/\/apis?\b/);
  });

  test('/flagz reports the flags', async () => {
    const { get } = await start();
    const { text } = await get('/flagz', '*/*');
    expect(text).toMatch(/^\nkube-apiserver flagz\nWarning: .*\netcd-prefix(:|: |=| )\/registry\nv(:|: |=| )2\n$/);
  });

  const form = (version: string, kind: string, type = 'json') =>
    `application/${type};g=config.k8s.io;v=${version};as=${kind}`;

  test('are served as objects to clients that request them', async () => {
    const { get } = await start();
    const { text, headers } = await get('/statusz', form('v1beta1', 'Statusz'));
    expect(JSON.parse(text)).toMatchObject({
      kind: 'Statusz',
      apiVersion: 'config.k8s.io/v1beta1',
      metadata: { name: 'kube-apiserver' },
      startTime: '2026-01-01T00:00:00Z',
      uptimeSeconds: 0,
      emulationVersion: '1.36',
    });
    expect(headers['warning']).toBeUndefined();
    const old = await get('/flagz', `${form('v1alpha1', 'Flagz')},${form('v1beta1', 'Flagz')}`);
    expect(JSON.parse(old.text)).toEqual({
      kind: 'Flagz',
      apiVersion: 'config.k8s.io/v1alpha1',
      metadata: { name: 'kube-apiserver' },
      flags: { v: '2', 'etcd-prefix': '/registry' },
    });
    expect(String(old.headers['warning'])).toContain('This version of the flagz endpoint is deprecated.');
    expect((await get('/flagz', form('v1beta1', 'Flagz', 'yaml'))).text).toContain('kind: Flagz\n');
  });

  test.each([
    'application/xml',
    'application/json',
    'application/json;v=v1beta1;g=config.k8s.io',
    form('v1', 'Statusz'),
  ])('are not available as %s', async (accept) => {
    expect((await (await start()).get('/statusz', accept)).status).toBe(406);
  });

  test('are served only while their gates are on', async () => {
    const { get } = await start(new FeatureGates({ ComponentStatusz: false, ComponentFlagz: false }));
    expect((await get('/statusz')).status).toBe(404);
    expect((await get('/flagz')).status).toBe(404);
  });
});
