import { LabelSelector } from '@coracle/apimachinery';
import { certificateIn } from '../certificate-secret.js';
import { compareTexts } from '../routes/compare-routes.js';
import type { CertificatePair } from '../routes/routing-table.js';
import { type Gateway, type GatewayListener, gatewayGroup, type ObjectReference } from './gateway-types.js';
import type { GatewayWorld } from './gateway-world.js';
import { isGranted } from './reference-grants.js';

/** Reasons of conditions, as in the Gateway API. */
export interface ConditionProblem {
  readonly reason: string;
  readonly message: string;
}

/** A listener of a Gateway, with its problems. */
export interface ValidatedListener {
  readonly gateway: Gateway;
  readonly listener: GatewayListener;
  readonly hostname: string;
  readonly tls: boolean;
  readonly certificates: readonly CertificatePair[];
  readonly kinds: readonly { readonly group: string; readonly kind: string }[];
  readonly notAccepted: ConditionProblem | undefined;
  readonly conflict: ConditionProblem | undefined;
  readonly unresolved: ConditionProblem | undefined;
}

const protocols: Readonly<Record<string, { readonly tls: boolean }>> = { HTTP: { tls: false }, HTTPS: { tls: true } };

/** Whether it accepts requests. */
export function serves({ notAccepted, conflict, tls, certificates, kinds }: ValidatedListener): boolean {
  return !notAccepted && !conflict && kinds.length > 0 && (!tls || certificates.length > 0);
}

/** Validates the listeners of the Gateways of this router. The older Gateway has the first claim on a port. */
export function validateListeners(gateways: readonly Gateway[], world: GatewayWorld): ValidatedListener[] {
  const sorted = [...gateways].sort(
    (a, b) =>
      compareTexts(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
      compareTexts(`${a.metadata.namespace}/${a.metadata.name}`, `${b.metadata.namespace}/${b.metadata.name}`),
  );
  const validated: ValidatedListener[] = [];
  for (const gateway of sorted)
    for (const listener of gateway.spec?.listeners ?? [])
      validated.push(validate({ gateway, listener, validated, world }));
  return validated;
}

interface ListenerInput {
  readonly gateway: Gateway;
  readonly listener: GatewayListener;
  /** Those that have been validated. */
  readonly validated: readonly ValidatedListener[];
  readonly world: GatewayWorld;
}

function validate({ gateway, listener, validated, world }: ListenerInput): ValidatedListener {
  const protocol = protocols[listener.protocol];
  const tls = protocol?.tls ?? false;
  const { kinds, invalid } = routeKinds(listener);
  const { certificates, unresolved } = tls ? certificatesOf(gateway, listener, world) : { certificates: [] };
  return {
    gateway,
    listener,
    hostname: listener.hostname?.toLowerCase() ?? '',
    tls,
    certificates,
    kinds: protocol ? kinds : [],
    notAccepted: notAccepted(listener),
    conflict: conflictOf({ gateway, listener, validated, world }),
    unresolved: unresolved ?? invalid,
  };
}

function notAccepted({ protocol, tls }: GatewayListener): ConditionProblem | undefined {
  if (!protocols[protocol])
    return { reason: 'UnsupportedProtocol', message: `protocol ${protocol} is not served; HTTP and HTTPS are` };
  if (protocol === 'HTTPS' && tls?.mode === 'Passthrough')
    return { reason: 'UnsupportedProtocol', message: 'TLS is terminated here: mode Passthrough is not served' };
  return undefined;
}

function conflictOf({ gateway, listener, validated }: ListenerInput): ConditionProblem | undefined {
  for (const other of validated) {
    if (other.listener.port !== listener.port || other.notAccepted || other.conflict) continue;
    const name = `listener ${other.listener.name} of ${other.gateway.metadata.namespace}/${other.gateway.metadata.name}`;
    if (other.listener.protocol !== listener.protocol)
      return { reason: 'ProtocolConflict', message: `${name} has this port with protocol ${other.listener.protocol}` };
    if (other.gateway === gateway && other.hostname === (listener.hostname?.toLowerCase() ?? ''))
      return { reason: 'HostnameConflict', message: `${name} has this port and host name` };
  }
  return undefined;
}

function routeKinds({ allowedRoutes }: GatewayListener): {
  kinds: ValidatedListener['kinds'];
  invalid?: ConditionProblem;
} {
  const own = { group: gatewayGroup, kind: 'HTTPRoute' };
  const allowedKinds = allowedRoutes?.kinds ?? [];
  if (allowedKinds.length === 0) return { kinds: [own] };
  const isOwn = (one: (typeof allowedKinds)[number]) =>
    one.kind === own.kind && (one.group ?? gatewayGroup) === own.group;
  const kinds = allowedKinds.some(isOwn) ? [own] : [];
  const other = allowedKinds.find((one) => !isOwn(one));
  if (!other) return { kinds };
  return { kinds, invalid: { reason: 'InvalidRouteKinds', message: `routes of kind ${other.kind} are not served` } };
}

function certificatesOf(
  gateway: Gateway,
  { tls }: GatewayListener,
  world: GatewayWorld,
): { certificates: CertificatePair[]; unresolved?: ConditionProblem } {
  const certificates: CertificatePair[] = [];
  let unresolved: ConditionProblem | undefined;
  for (const ref of tls?.certificateRefs ?? []) {
    const found = certificateOf(gateway, ref, world);
    if ('reason' in found) unresolved ??= found;
    else certificates.push(found);
  }
  if (!unresolved && certificates.length === 0)
    unresolved = { reason: 'InvalidCertificateRef', message: 'the listener names no certificate' };
  return { certificates, ...(unresolved && { unresolved }) };
}

function certificateOf(
  gateway: Gateway,
  ref: ObjectReference,
  world: GatewayWorld,
): CertificatePair | ConditionProblem {
  const { group = '', kind = 'Secret', name, namespace = gateway.metadata.namespace ?? '' } = ref;
  if (group !== '' || kind !== 'Secret')
    return { reason: 'InvalidCertificateRef', message: `certificates of kind ${kind} are not supported` };
  const from = { group: gatewayGroup, kind: 'Gateway', namespace: gateway.metadata.namespace ?? '' };
  if (!isGranted({ from, to: { group, kind, namespace, name } }, world.grants))
    return { reason: 'RefNotPermitted', message: `no ReferenceGrant allows to refer to secret ${namespace}/${name}` };
  const pair = certificateIn(world.secretOf(namespace, name));
  return pair ?? { reason: 'InvalidCertificateRef', message: `secret ${namespace}/${name} has no certificate` };
}

/** Whether routes of a namespace may be attached. */
export function allowsNamespace(
  { listener, gateway }: ValidatedListener,
  namespace: string,
  world: GatewayWorld,
): boolean {
  const { from = 'Same', selector } = listener.allowedRoutes?.namespaces ?? {};
  if (from === 'All') return true;
  if (from === 'Same') return namespace === gateway.metadata.namespace;
  if (from !== 'Selector') return false;
  try {
    return LabelSelector.fromObject(selector ?? {}).matches(world.namespaceOf(namespace)?.metadata.labels);
  } catch {
    // The CRDs do not validate the operators of selectors.
    return false;
  }
}
