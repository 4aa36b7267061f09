import { expect, test } from 'vitest';
import { parseRequestInfo } from '../parse-request-info.js';
import { connectOptions } from './connect-options.js';

const proxy = { name: 'proxy', group: '', version: 'v1', kind: 'PodProxyOptions', verbs: ['get'] };
const info = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Pod',
  singular: 'pod',
  namespaced: true,
  shortNames: [],
  categories: [],
  verbs: [],
  subresources: [proxy],
};

test.each([
  ['/api/v1/namespaces/default/pods/web/proxy', undefined],
  ['/api/v1/namespaces/default/pods/web/proxy/', '/'],
  ['/api/v1/namespaces/default/pods/web/proxy/a/b/', '/a/b/'],
  ['/api/v1/namespaces/proxy/pods/web/proxy/a', '/a'],
  ['/api/v1/namespaces/default/pods/web/proxy/proxy/a%2Fb', '/proxy/a/b'],
])('the field path that admission gets for %s is %s', (path, below) => {
  const query = new URLSearchParams();
  const options = connectOptions({
    context: { info: parseRequestInfo('GET', path, query), query },
    resource: { info },
  });
  expect(options).toEqual({ apiVersion: 'v1', kind: 'PodProxyOptions', ...(below && { path: below }) });
});
