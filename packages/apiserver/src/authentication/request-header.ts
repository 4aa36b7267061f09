import { type ApiRequest, type CertificateIdentity, unauthorized } from '@coracle/apimachinery';
import { headerValues } from '../header-values.js';
import type { UserInfo } from '../user-info.js';
import type { Authenticated, Authenticator } from './authenticator.js';

/**
 * Which users a front proxy may authenticate, and in which headers. The CAs of proxies are looked up for each
 * request, and may change.
 */
export interface RequestHeaderOptions {
  /** SHA-256 of the CAs that sign certificates of proxies, in hexadecimal digits. */
  readonly authorities: readonly string[];
  /** Whether they also sign client certificates, so that a proxy that names no user acts as itself. */
  readonly signClients: boolean;
  /** Common names that proxies may have; any of them if there are none here. */
  readonly allowedNames: readonly string[];
  /** Headers in the order in which they are looked for. */
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraHeaderPrefixes: readonly string[];
}

/**
 * Refuses certificates that only the CAs of proxies have signed: they are no clients, whatever their certificates
 * call them.
 */
export function exceptProxies(options: RequestHeaderOptions, clients: Authenticator): Authenticator {
  return {
    name: clients.name,
    authenticate(request) {
      if (!options.signClients && isProxy(request.peer?.certificate, options)) throw unauthorized();
      return clients.authenticate(request);
    },
  };
}

function isProxy(certificate: CertificateIdentity | undefined, { authorities }: RequestHeaderOptions): boolean {
  return certificate?.issuers?.some((issuer) => authorities.includes(issuer)) ?? false;
}

/**
 * Authenticates a front proxy by its certificate, and the user by its headers. The headers of any other client are
 * ignored. They are removed from the request, so that no server behind this one trusts them.
 */
export function requestHeader(options: RequestHeaderOptions): Authenticator {
  const lower = (names: readonly string[]) => names.map((name) => name.toLowerCase());
  const [names, uids, groups] = [options.usernameHeaders, options.uidHeaders, options.groupHeaders].map(lower) as [
    string[],
    string[],
    string[],
  ];
  const prefixes = lower(options.extraHeaderPrefixes);
  return {
    name: 'RequestHeader',
    authenticate(request): Authenticated | undefined {
      const { peer, headers } = request;
      const certificate = peer?.certificate;
      const { allowedNames } = options;
      if (!certificate || !isProxy(certificate, options)) return undefined;
      if (allowedNames.length > 0 && !allowedNames.includes(certificate.commonName)) throw unauthorized();
      const name = first(request, names);
      if (name === undefined) return undefined;
      const uid = first(request, uids);
      const extra = extraOf(request, prefixes);
      const user: UserInfo = {
        name,
        ...(uid && { uid }),
        groups: groups.flatMap((header) => headerValues(request, header)).filter((group) => group !== ''),
        ...(extra && { extra }),
      };
      takeOff(headers, (header) => isSpent(header, [...names, ...uids, ...groups], prefixes));
      return { user };
    },
  };
}

function isSpent(header: string, names: readonly string[], prefixes: readonly string[]): boolean {
  return names.includes(header) || prefixes.some((prefix) => header.startsWith(prefix));
}

/** A request that shows a certificate came over a connection, and its headers are its own. */
function takeOff(headers: Record<string, string | undefined>, isSpent: (header: string) => boolean): void {
  for (const header of Object.keys(headers)) if (isSpent(header)) delete headers[header];
}

function first(request: ApiRequest, names: readonly string[]): string | undefined {
  return names
    .map((name) => headerValues(request, name)[0]?.trim())
    .find((value) => value !== undefined && value !== '');
}

function extraOf(request: ApiRequest, prefixes: readonly string[]): Record<string, string[]> | undefined {
  const found = Object.keys(request.headers).flatMap((header) => {
    const prefix = prefixes.find((one) => header.startsWith(one) && header.length > one.length);
    return prefix === undefined ? [] : [[decode(header.slice(prefix.length)), headerValues(request, header)] as const];
  });
  return found.length > 0 ? Object.fromEntries(found) : undefined;
}

function decode(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}
