import { ownCertificates, systemClock } from 'coracle';

const folder = process.env['CERT_DIR'] ?? '/tmp/flunder-server';

/** The serving certificate and its CA, in files: the server and its manifests need the same. */
export const certificates = ownCertificates({ folder, clock: systemClock, dnsNames: ['api.wardle.svc'] });
