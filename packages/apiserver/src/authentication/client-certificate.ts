import type { Authenticator } from './authenticator.js';

/** A verified client certificate: its common name is the user, its organizations are the groups. */
export const clientCertificate: Authenticator = {
  name: 'ClientCertificate',
  authenticate({ peer }) {
    const certificate = peer?.certificate;
    if (!certificate || certificate.commonName === '') return undefined;
    const { commonName, organizations, fingerprint } = certificate;
    const extra = fingerprint && { 'authentication.kubernetes.io/credential-id': [`X509SHA256=${fingerprint}`] };
    return { user: { name: commonName, groups: organizations, ...(extra && { extra }) } };
  },
};
