import {
  type FieldError,
  FieldPath,
  isDns1123Label,
  isDns1123Subdomain,
  isQualifiedName,
  requiredField,
} from '@coracle/apimachinery';
import type { EndpointAddress, EndpointPort, Endpoints } from '../../generated/types/core-v1.js';
import { checkPortNumber, checkRequiredSupported, checkValue } from '../../validation/field-checks.js';
import { checkLegacyIp, checkNonSpecialIp } from '../../validation/ip-checks.js';

export const protocols: readonly string[] = ['SCTP', 'TCP', 'UDP'];

export function validateEndpoints(endpoints: Endpoints): FieldError[] {
  return (endpoints.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = FieldPath.of('subsets').index(index);
    const missing = addresses.length === 0 && notReadyAddresses.length === 0;
    return [
      ...(missing ? [requiredField(path, 'must specify `addresses` or `notReadyAddresses`')] : []),
      ...addresses.flatMap((address, i) => checkAddress(path.child('addresses').index(i), address)),
      ...notReadyAddresses.flatMap((address, i) => checkAddress(path.child('notReadyAddresses').index(i), address)),
      ...ports.flatMap((port, i) => checkPort(path.child('ports').index(i), port, ports.length > 1)),
    ];
  });
}

function checkAddress(path: FieldPath, { ip, hostname, nodeName }: EndpointAddress): FieldError[] {
  return [
    ...checkLegacyIp(path.child('ip'), ip),
    ...(hostname ? checkValue(path.child('hostname'), hostname, isDns1123Label) : []),
    ...(nodeName === undefined ? [] : checkValue(path.child('nodeName'), nodeName, isDns1123Subdomain)),
    ...checkNonSpecialIp(path.child('ip'), ip),
  ];
}

function checkPort(path: FieldPath, port: EndpointPort, nameRequired: boolean): FieldError[] {
  const { name = '', protocol, appProtocol } = port;
  const missing = nameRequired && name === '';
  return [
    ...(missing ? [requiredField(path.child('name'))] : []),
    ...(name === '' ? [] : checkValue(path.child('name'), name, isDns1123Label)),
    ...checkPortNumber(path.child('port'), port.port),
    ...checkRequiredSupported(path.child('protocol'), protocol, protocols),
    ...(appProtocol === undefined ? [] : checkValue(path.child('appProtocol'), appProtocol, isQualifiedName)),
  ];
}
