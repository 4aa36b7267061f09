import { describe, expect, test } from 'vitest';
import { parseRequestInfo } from './parse-request-info.js';

const parse = (method: string, url: string) => {
  const [path = '', query = ''] = url.split('?');
  return parseRequestInfo(method, path, new URLSearchParams(query));
};

describe('FILTER-06 the meaning of a request', () => {
  test.each([
    ['GET', '/api/v1/pods', { verb: 'list', resource: 'pods', namespace: '', name: '' }],
    ['GET', '/api/v1/namespaces/a/pods', { verb: 'list', namespace: 'a' }],
    ['GET', '/api/v1/namespaces/a/pods/b', { verb: 'get', name: 'b' }],
    ['GET', '/api/v1/namespaces/a/pods/b/log', { verb: 'get', subresource: 'log' }],
    ['GET', '/api/v1/namespaces/a/pods?watch=true', { verb: 'watch' }],
    ['GET', '/api/v1/namespaces/a/pods?watch=0', { verb: 'list' }],
    ['GET', '/api/v1/watch/namespaces/a/pods', { verb: 'watch', namespace: 'a', resource: 'pods' }],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3Db', { verb: 'list', name: 'b' }],
    ['GET', '/api/v1/pods?fieldSelector=spec.x!%3Dy%5C,metadata.name%3Db', { verb: 'list', name: '' }],
    ['GET', '/api/v1/pods?fieldSelector=metadata.name%3D..', { verb: 'list', name: '' }],
    ['DELETE', '/api/v1/pods?fieldSelector=metadata.name%3Db', { verb: 'deletecollection', name: '' }],
    ['GET', '/api/v1/namespaces', { verb: 'list', resource: 'namespaces', namespace: '' }],
    ['GET', '/api/v1/namespaces/a', { verb: 'get', resource: 'namespaces', namespace: 'a', name: 'a' }],
    ['PUT', '/api/v1/namespaces/a/finalize', { verb: 'update', resource: 'namespaces', subresource: 'finalize' }],
    ['POST', '/apis/apps/v1/namespaces/a/deployments', { verb: 'create', group: 'apps', version: 'v1' }],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments', { verb: 'deletecollection' }],
    ['DELETE', '/apis/apps/v1/namespaces/a/deployments/b', { verb: 'delete', name: 'b' }],
    ['PATCH', '/apis/apps/v1/namespaces/a/deployments/b/scale', { verb: 'patch', subresource: 'scale' }],
    ['HEAD', '/api/v1/namespaces/a/pods/b', { verb: 'get' }],
    ['GET', '/api/v1/namespaces/a/pods/b%3Ac', { name: 'b:c', subresource: '' }],
    // An encoded slash is a slash.
    ['GET', '/api/v1/namespaces/a/pods/b%2Flog', { name: 'b', subresource: 'log' }],
    ['GET', '/api%2fv1/namespaces%2Fa/pods', { verb: 'list', namespace: 'a', resource: 'pods' }],
    ['GET', '/apis/%61pps/v1/deployments', { group: 'apps', resource: 'deployments' }],
  ])('%s %s', (method, url, expected) => {
    expect(parse(method, url)).toMatchObject({ isResourceRequest: true, ...expected });
  });

  test.each([
    '/',
    '/api',
    '/apis',
    '/api/v1',
    '/apis/apps',
    '/apis/apps/v1',
    '/healthz',
    '/metrics',
    '/openapi/v3/api/v1',
  ])('%s is no resource', (path) => {
    expect(parse('GET', path)).toMatchObject({ isResourceRequest: false, verb: 'get', path });
  });

  test('a non-resource path is decoded too, and an invalid one is rejected', () => {
    expect(parse('GET', '/healthz/%70ing')).toMatchObject({ isResourceRequest: false, path: '/healthz/ping' });
    expect(() => parse('GET', '/api/v1/pods/%zz')).toThrow('invalid URL escape');
  });
});
