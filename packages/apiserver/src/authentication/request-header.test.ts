import type { ApiRequest } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { clientCertificate } from './client-certificate.js';
import { exceptProxies, type RequestHeaderOptions, requestHeader } from './request-header.js';

const options: RequestHeaderOptions = {
  authorities: ['proxy-ca'],
  signClients: false,
  allowedNames: ['front-proxy-client'],
  usernameHeaders: ['X-Remote-User', 'X-Other-User'],
  uidHeaders: ['X-Remote-Uid'],
  groupHeaders: ['X-Remote-Group'],
  extraHeaderPrefixes: ['X-Remote-Extra-'],
};

function ask(
  headers: Record<string, string>,
  {
    commonName = 'front-proxy-client',
    issuers = ['proxy-ca'],
    ...more
  }: Partial<RequestHeaderOptions> & {
    commonName?: string;
    issuers?: string[];
  } = {},
) {
  const certificate = { commonName, organizations: [], issuers };
  const request: ApiRequest = { method: 'GET', path: '/api', query: '', headers, peer: { certificate } };
  return requestHeader({ ...options, ...more }).authenticate(request);
}

describe('AUTHN-19 an authenticating proxy names the user', () => {
  test('the user in the headers', () => {
    const headers = {
      'x-remote-user': 'jane',
      'x-remote-uid': '7',
      'x-remote-group': 'dev, ops',
      'x-remote-extra-example.org%2fscopes': 'a,b',
    };
    expect(ask(headers)).toEqual({
      user: { name: 'jane', uid: '7', groups: ['dev', 'ops'], extra: { 'example.org/scopes': ['a', 'b'] } },
    });
  });

  test('by the first header that is not empty', () => {
    expect(ask({ 'x-remote-user': '', 'x-other-user': 'joe' })).toMatchObject({ user: { name: 'joe' } });
  });

  test('with any common name, if no names are configured', () => {
    expect(ask({ 'x-remote-user': 'jane' }, { commonName: 'x', allowedNames: [] })).toMatchObject({
      user: { name: 'jane' },
    });
  });

  test('but headers of other clients are ignored', () => {
    expect(ask({ 'x-remote-user': 'jane' }, { issuers: ['client-ca'] })).toBeUndefined();
    expect(() => ask({ 'x-remote-user': 'jane' }, { commonName: 'x' })).toThrow('Unauthorized');
  });

  test('AUTHN-20 and is no user itself, unless its CA also signs client certificates', async () => {
    expect(ask({})).toBeUndefined();
    const certificate = { commonName: 'front-proxy-client', organizations: ['system:masters'], issuers: ['proxy-ca'] };
    const request: ApiRequest = { method: 'GET', path: '/api', query: '', headers: {}, peer: { certificate } };
    const asClient = async (signClients: boolean) =>
      exceptProxies({ ...options, signClients }, clientCertificate).authenticate(request);
    await expect(asClient(false)).rejects.toThrow('Unauthorized');
    expect(await asClient(true)).toMatchObject({ user: { name: 'front-proxy-client' } });
  });

  test('and its headers are removed from the request, so that no server behind this one trusts them', () => {
    const headers = { 'x-other-user': 'jane', 'x-remote-group': 'dev', 'x-remote-extra-a': 'b', accept: '*/*' };
    void ask(headers);
    expect(headers).toEqual({ accept: '*/*' });
  });

  test('clients of other CAs as soon as these are configured', () => {
    const changing = { ...options, authorities: ['former-ca'] };
    const authenticator = requestHeader(changing);
    const certificate = { commonName: 'front-proxy-client', organizations: [], issuers: ['proxy-ca'] };
    const authenticate = () =>
      authenticator.authenticate({
        method: 'GET',
        path: '/api',
        query: '',
        headers: { 'x-remote-user': 'jane' },
        peer: { certificate },
      });
    expect(authenticate()).toBeUndefined();
    changing.authorities = ['proxy-ca'];
    expect(authenticate()).toMatchObject({ user: { name: 'jane' } });
  });
});
