import { unauthorized } from '@coracle/apimachinery';
import type { Authenticator } from './authenticator.js';

/**
 * A verified client certificate: its common name is the user, its organizations are the groups. One that no
 * client CA has signed is a bad credential.
 */
export const clientCertificate: Authenticator = {
  name: 'ClientCertificate',
  authenticate({ peer }) {
    if (peer?.certificateProblem !== undefined) throw unauthorized();
    const certificate = peer?.certificate;
    if (!certificate || certificate.commonName === '') return undefined;
    const { commonName, organizations, fingerprint, uids = [] } = certificate;
    const [uid, another] = uids;
    if (another !== undefined || uid === '') throw unauthorized();
    const extra = fingerprint && { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] };
    return {
      user: { name: commonName, ...(uid !== undefined && { uid }), groups: organizations, ...(extra && { extra }) },
    };
  },
};
