import {
  type FieldError,
  FieldPath,
  invalidField,
  isDns1123Label,
  isDns1123Subdomain,
  isValidPortName,
  isWildcardDns1123Subdomain,
  parseIp,
  requiredField,
  scoped,
} from '@coracle/apimachinery';
import { checkIngressHostname } from '../../core/v1/service.validation.js';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressServiceBackend,
  IngressTLS,
} from '../../generated/types/networking-v1.js';
import {
  checkItems,
  checkPortNumber,
  checkRequiredValue,
  checkSupported,
  checkValue,
} from '../../validation/field-checks.js';
import { checkLegacyIp } from '../../validation/ip-checks.js';
import { checkTypedLocalReference } from '../../validation/typed-local-reference.js';

const specPath = FieldPath.of('spec');
const classAnnotation = 'kubernetes.io/ingress.class';

export function validateIngress(ingress: Ingress): FieldError[] {
  const annotation = ingress.metadata.annotations?.[classAnnotation];
  const className = ingress.spec?.ingressClassName;
  const errors = checkSpec(ingress);
  if (annotation === undefined || className === undefined || annotation === className) return errors;
  const path = FieldPath.of('annotations').child(classAnnotation);
  return [...errors, invalidField(path, annotation, 'must match `ingressClassName` when both are specified')];
}

export function validateIngressUpdate(ingress: Ingress): FieldError[] {
  return checkSpec(ingress);
}

/** The class was an annotation once; it is still honoured. */
export function ingressWarnings(ingress: Ingress, previous?: Ingress): string[] {
  if (previous || ingress.metadata.annotations?.[classAnnotation] === undefined) return [];
  return [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`];
}

function checkSpec({ spec = {} }: Ingress): FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName } = spec;
  const errors: FieldError[] = [];
  if (rules.length === 0 && !defaultBackend) {
    errors.push(invalidField(specPath, spec.rules, 'either `defaultBackend` or `rules` must be specified'));
  }
  return [
    ...errors,
    ...(defaultBackend ? checkBackend(specPath.child('defaultBackend'), defaultBackend) : []),
    ...rules.flatMap((rule, index) => checkRule(specPath.child('rules').index(index), rule)),
    ...tls.flatMap((one, index) => checkTls(specPath.child('tls').index(index), one)),
    ...(ingressClassName === undefined
      ? []
      : checkValue(specPath.child('ingressClassName'), ingressClassName, isDns1123Subdomain)),
  ];
}

function checkRule(path: FieldPath, { host = '', http }: IngressRule): FieldError[] {
  const errors: FieldError[] = [];
  if (host !== '') {
    if (parseIp(host)) errors.push(invalidField(path.child('host'), host, 'must be a DNS name, not an IP address'));
    errors.push(...checkHost(path.child('host'), host));
  }
  if (!http) return errors;
  const found = checkPaths(path.child('http', 'paths'), http.paths ?? []);
  return [...errors, ...(host.includes('*') ? scoped(found, { newRule: 'paths of wildcard hosts' }) : found)];
}

function checkPaths(path: FieldPath, paths: readonly HTTPIngressPath[]): FieldError[] {
  return paths.length === 0 ? [requiredField(path)] : checkItems(path, paths, checkPath);
}

function checkHost(path: FieldPath, host: string): FieldError[] {
  return checkValue(path, host, host.includes('*') ? isWildcardDns1123Subdomain : isDns1123Subdomain);
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const badSequences = ['//', '/./', '/../', '%2f', '%2F'];
const badEnds = ['/..', '/.'];

function checkPath(path: FieldPath, { pathType, path: value = '', backend }: HTTPIngressPath): FieldError[] {
  if (pathType == null) return [requiredField(path.child('pathType'), 'pathType must be specified')];
  const field = path.child('path');
  const errors = checkSupported(path.child('pathType'), pathType, pathTypes);
  const literal = pathType === 'Exact' || pathType === 'Prefix';
  if (errors.length === 0 && !value.startsWith('/') && (literal || value !== '')) {
    errors.push(invalidField(field, value, 'must be an absolute path'));
  }
  if (literal) {
    const found = badSequences.filter((sequence) => value.includes(sequence));
    errors.push(...found.map((sequence) => invalidField(field, value, `must not contain '${sequence}'`)));
    const ends = badEnds.filter((end) => value.endsWith(end));
    errors.push(...ends.map((end) => invalidField(field, value, `cannot end with '${end}'`)));
  }
  return [...errors, ...checkBackend(path.child('backend'), backend ?? {})];
}

function checkBackend(path: FieldPath, { resource, service }: IngressBackend): FieldError[] {
  if (resource && service) return [invalidField(path, '', 'cannot set both resource and service backends')];
  if (resource) return checkTypedLocalReference(path.child('resource'), resource);
  if (service) return checkServiceBackend(path, service);
  return [invalidField(path, '', 'resource or service backend is required')];
}

function checkServiceBackend(path: FieldPath, { name, port = {} }: IngressServiceBackend): FieldError[] {
  const errors = checkRequiredValue(path.child('service', 'name'), name, isDns1123Label);
  const field = path.child('service', 'port');
  if (port.name && port.number) errors.push(invalidField(path, '', 'cannot set both port name & port number'));
  else if (port.name) errors.push(...checkValue(field.child('name'), port.name, isValidPortName));
  else if (port.number) errors.push(...checkPortNumber(field.child('number'), port.number));
  else errors.push(requiredField(path, 'port name or number is required'));
  return errors;
}

function checkTls(path: FieldPath, { hosts = [], secretName }: IngressTLS): FieldError[] {
  return [
    ...hosts.flatMap((host, index) => checkHost(path.child('hosts').index(index), host)),
    ...(secretName
      ? scoped(checkValue(path.child('secretName'), secretName, isDns1123Subdomain), {
          newRule: 'names of TLS secrets',
        })
      : []),
  ];
}

export function validateIngressStatusUpdate({ status = {} }: Ingress): FieldError[] {
  const path = FieldPath.of('status', 'loadBalancer', 'ingress');
  return (status.loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }, index) => [
    ...(ip ? checkLegacyIp(path.index(index).child('ip'), ip) : []),
    ...(hostname ? checkIngressHostname(path.index(index).child('hostname'), hostname) : []),
  ]);
}
