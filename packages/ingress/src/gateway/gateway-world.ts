import type { Namespace, Secret, Service } from '@coracle/api';
import type { Gateway, GatewayClass, HttpRoute, ReferenceGrant } from './gateway-types.js';

/** Names this router in a GatewayClass, and in the statuses that it writes. */
export const gatewayControllerName = 'coracle.dev/gateway-controller';
export const gatewayClassName = 'coracle';

/** The objects that the status of Gateways depends on. */
export interface GatewayWorld {
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly routes: readonly HttpRoute[];
  readonly grants: readonly ReferenceGrant[];
  namespaceOf(name: string): Namespace | undefined;
  secretOf(namespace: string, name: string): Secret | undefined;
  serviceOf(namespace: string, name: string): Service | undefined;
}

/** The class that is there once the CRDs of the Gateway API are installed. */
export function ownGatewayClass(): GatewayClass {
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'GatewayClass',
    metadata: { name: gatewayClassName },
    spec: { controllerName: gatewayControllerName },
  };
}
