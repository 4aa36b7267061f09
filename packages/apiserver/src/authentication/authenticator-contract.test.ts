import { unauthorized } from '@coracle/apimachinery';
import { describeAuthenticator } from '@coracle/testing';
import { bearerToken } from './bearer-token.js';
import { clientCertificate } from './client-certificate.js';
import { inProcess } from './in-process.js';

const user = { name: 'alice', groups: [] };

describeAuthenticator({
  authenticator: clientCertificate,
  good: { request: { peer: { certificate: { commonName: 'alice', organizations: [] } } }, user: 'alice' },
  bad: [
    { peer: { certificateProblem: 'it has expired' } },
    { peer: { certificate: { commonName: 'alice', organizations: [], uids: ['a', 'b'] } } },
  ],
});

describeAuthenticator({ authenticator: inProcess, good: { request: { peer: { user } }, user: 'alice' }, bad: [] });

describeAuthenticator({
  authenticator: bearerToken([
    {
      name: 'test',
      authenticateToken: async (token) => {
        if (token === 'good') return { user };
        if (token === 'revoked') throw unauthorized();
        return undefined;
      },
    },
  ]),
  good: { request: { headers: { authorization: 'Bearer good' } }, user: 'alice' },
  bad: [{ headers: { authorization: 'Bearer wrong' } }, { headers: { authorization: 'Bearer revoked' } }],
});
