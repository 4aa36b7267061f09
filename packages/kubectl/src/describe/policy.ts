import { readCertificateRequest } from '@coracle/api';
import { formatHumanDuration } from '@coracle/apimachinery';
import { type Fields, numberAt, recordAt, recordsAt, stringMapAt, textAt } from '../values.js';
import { type Describer, writeEvents } from './tools.js';
import { type DescribeWriter, formatMap, formatSelector, formatTimestamp, orNone } from './writer.js';

export const describePodDisruptionBudget: Describer = async (object, w, tools) => {
  const [spec, status] = [recordAt(object, 'spec'), recordAt(object, 'status')];
  w.write(0, `Name:\t${textAt(object, 'metadata', 'name')}`);
  w.write(0, `Namespace:\t${textAt(object, 'metadata', 'namespace')}`);
  if (spec['minAvailable'] !== undefined) w.write(0, `Min available:\t${textAt(spec, 'minAvailable')}`);
  else if (spec['maxUnavailable'] !== undefined) w.write(0, `Max unavailable:\t${textAt(spec, 'maxUnavailable')}`);
  w.write(0, `Selector:\t${spec['selector'] ? formatSelector(recordAt(spec, 'selector')) : '<unset>'}`);
  w.write(0, 'Status:');
  w.write(2, `Allowed disruptions:\t${numberAt(status, 'disruptionsAllowed') ?? 0}`);
  w.write(2, `Current:\t${numberAt(status, 'currentHealthy') ?? 0}`);
  w.write(2, `Desired:\t${numberAt(status, 'desiredHealthy') ?? 0}`);
  w.write(2, `Total:\t${numberAt(status, 'expectedPods') ?? 0}`);
  await writeEvents(w, object, tools);
};

export const describeCertificateRequest: Describer = async (object, w, tools) => {
  const [spec, metadata] = [recordAt(object, 'spec'), recordAt(object, 'metadata')];
  w.write(0, `Name:\t${textAt(metadata, 'name')}`);
  w.write(0, `Labels:\t${orNone(formatMap(stringMapAt(metadata, 'labels')))}`);
  w.write(0, `Annotations:\t${orNone(formatMap(stringMapAt(metadata, 'annotations')))}`);
  w.write(0, `CreationTimestamp:\t${formatTimestamp(textAt(metadata, 'creationTimestamp'))}`);
  w.write(0, `Requesting User:\t${textAt(spec, 'username')}`);
  w.optional(0, 'Signer', textAt(spec, 'signerName'));
  const seconds = numberAt(spec, 'expirationSeconds');
  if (seconds !== undefined) w.write(0, `Requested Duration:\t${formatHumanDuration(seconds * 1000)}`);
  w.write(0, `Status:\t${requestStatus(object)}`);
  w.write(0, 'Subject:');
  writeSubject(w, textAt(spec, 'request'));
  await writeEvents(w, object, tools);
};

function requestStatus(object: Fields): string {
  const types = recordsAt(object, 'status', 'conditions').map((one) => textAt(one, 'type'));
  const verdict = types.includes('Approved') ? 'Approved' : types.includes('Denied') ? 'Denied' : 'Pending';
  const failed = types.includes('Failed') ? ',Failed' : '';
  return verdict + failed + (textAt(object, 'status', 'certificate') === '' ? '' : ',Issued');
}

function writeSubject(w: DescribeWriter, base64: string): void {
  const request = readCertificateRequest(base64);
  if (!request) {
    w.write(2, '<invalid>');
    return;
  }
  w.write(0, `\tCommon Name:\t${request.commonName}`);
  w.write(0, '\tSerial Number:\t');
  if (request.organizations.length > 0) w.write(0, `\tOrganization:\t${request.organizations.join('\n\t\t')}`);
  const names = [
    ['DNS Names', request.dnsNames],
    ['Email Addresses', request.emailAddresses],
    ['URIs', request.uris],
    ['IP Addresses', request.ipAddresses],
  ] as const;
  if (names.every(([, values]) => values.length === 0)) return;
  w.write(0, 'Subject Alternative Names:');
  for (const [label, values] of names) if (values.length > 0) w.write(0, `\t${label}:\t${values.join('\n\t\t')}`);
}
