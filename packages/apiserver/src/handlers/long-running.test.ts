import { channelPair, normalClosure } from '@coracle/apimachinery';
import { PrometheusMetrics } from '@coracle/base';
import { expect, test } from 'vitest';
import { startTestServer } from '../server.fixture.js';

test('WATCH-14 connections are counted while they are open, as watches are', async () => {
  const metrics = new PrometheusMetrics();
  const [near, far] = channelPair('v5.channel.k8s.io');
  const { server, watch } = await startTestServer({
    metrics,
    subresources: () => ({ '/pods/exec': { connect: async () => near } }),
  });
  const open = (verb: string, subresource: string, scope: string) =>
    `apiserver_longrunning_requests{verb="${verb}",group="",version="v1",resource="pods",subresource="${subresource}",scope="${scope}",component="apiserver"}`;
  const path = '/api/v1/namespaces/default/pods/web/exec';
  const peer = { user: { name: 'admin', groups: ['system:masters'] } };
  const watching = await watch('/api/v1/namespaces/default/pods?watch=1');
  const channel = await server.connect({ method: 'POST', path, query: 'command=ls', headers: {}, peer }, ['v5']);
  let code = 0;
  channel.onClose((closedWith) => {
    code = closedWith;
  });
  expect(metrics.render()).toContain(`${open('CONNECT', 'exec', 'resource')} 1\n`);
  expect(metrics.render()).toContain(`${open('WATCH', '', 'namespace')} 1\n`);
  far[Symbol.dispose]();
  watching.stop();
  expect(code).toBe(normalClosure);
  expect(metrics.render()).toContain(`${open('CONNECT', 'exec', 'resource')} 0\n`);
  expect(metrics.render()).toContain(`${open('WATCH', '', 'namespace')} 0\n`);
});

test('a connection that is refused is not counted any longer', async () => {
  const metrics = new PrometheusMetrics();
  const refuse = async () => Promise.reject(new Error('no'));
  const { call } = await startTestServer({ metrics, subresources: () => ({ '/pods/exec': { connect: refuse } }) });
  await call('POST', '/api/v1/namespaces/default/pods/web/exec');
  expect(metrics.render()).toMatch(/apiserver_longrunning_requests\{verb="CONNECT",.*\} 0\n/);
});
