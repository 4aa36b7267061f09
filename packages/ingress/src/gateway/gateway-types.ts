import type { KubeObject, ResourceRef } from '@coracle/apimachinery';

/**
 * The fields of the Gateway API (`gateway.networking.k8s.io/v1`) that are read. Its CRDs have validated the objects.
 */
export const gatewayGroup = 'gateway.networking.k8s.io';

export interface Condition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
}

export interface GatewayClass extends KubeObject {
  readonly spec?: { readonly controllerName?: string; readonly parametersRef?: object };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly supportedFeatures?: readonly object[] };
}

export interface ObjectReference {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
}

export interface GatewayListener {
  readonly name: string;
  readonly hostname?: string;
  readonly port: number;
  readonly protocol: string;
  readonly tls?: { readonly mode?: string; readonly certificateRefs?: readonly ObjectReference[] };
  readonly allowedRoutes?: {
    readonly namespaces?: { readonly from?: string; readonly selector?: object };
    readonly kinds?: readonly { readonly group?: string; readonly kind: string }[];
  };
}

export interface ListenerStatus {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly Condition[];
}

export interface Gateway extends KubeObject {
  readonly spec?: {
    readonly gatewayClassName?: string;
    readonly listeners?: readonly GatewayListener[];
    readonly addresses?: readonly { readonly type?: string; readonly value?: string }[];
  };
  readonly status?: {
    readonly addresses?: readonly { readonly type: string; readonly value: string }[];
    readonly conditions?: readonly Condition[];
    readonly listeners?: readonly ListenerStatus[];
  };
}

export interface ParentReference extends ObjectReference {
  readonly sectionName?: string;
  readonly port?: number;
}

interface NamedValue {
  readonly type?: string;
  readonly name: string;
  readonly value: string;
}

export interface HttpHeaderFilter {
  readonly set?: readonly NamedValue[];
  readonly add?: readonly NamedValue[];
  readonly remove?: readonly string[];
}

interface HttpPathModifier {
  readonly type: string;
  readonly replaceFullPath?: string;
  readonly replacePrefixMatch?: string;
}

export interface HttpFilter {
  readonly type: string;
  readonly requestHeaderModifier?: HttpHeaderFilter;
  readonly responseHeaderModifier?: HttpHeaderFilter;
  readonly requestRedirect?: {
    readonly scheme?: string;
    readonly hostname?: string;
    readonly path?: HttpPathModifier;
    readonly port?: number;
    readonly statusCode?: number;
  };
  readonly urlRewrite?: { readonly hostname?: string; readonly path?: HttpPathModifier };
  readonly requestMirror?: {
    readonly backendRef: BackendReference;
    readonly percent?: number;
    readonly fraction?: { readonly numerator: number; readonly denominator?: number };
  };
}

export interface BackendReference extends ObjectReference {
  readonly port?: number;
}

export interface HttpBackend extends BackendReference {
  readonly weight?: number;
  readonly filters?: readonly HttpFilter[];
}

export interface HttpMatch {
  readonly path?: { readonly type?: string; readonly value?: string };
  readonly method?: string;
  readonly headers?: readonly NamedValue[];
  readonly queryParams?: readonly NamedValue[];
}

export interface HttpRule {
  readonly matches?: readonly HttpMatch[];
  readonly filters?: readonly HttpFilter[];
  readonly backendRefs?: readonly HttpBackend[];
  readonly timeouts?: { readonly request?: string; readonly backendRequest?: string };
}

export interface RouteParentStatus {
  readonly parentRef: ParentReference;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

export interface HttpRoute extends KubeObject {
  readonly spec?: {
    readonly parentRefs?: readonly ParentReference[];
    readonly hostnames?: readonly string[];
    readonly rules?: readonly HttpRule[];
  };
  readonly status?: { readonly parents?: readonly RouteParentStatus[] };
}

export interface ReferenceGrant extends KubeObject {
  readonly spec?: {
    readonly from?: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
    readonly to?: readonly { readonly group: string; readonly kind: string; readonly name?: string }[];
  };
}

function gatewayRef<T extends KubeObject>(version: string, resource: string, kind: string, namespaced = true) {
  return { group: gatewayGroup, version, resource, kind, namespaced } as ResourceRef<T>;
}

export const gatewayRefs = {
  gatewayClasses: gatewayRef<GatewayClass>('v1', 'gatewayclasses', 'GatewayClass', false),
  gateways: gatewayRef<Gateway>('v1', 'gateways', 'Gateway'),
  httpRoutes: gatewayRef<HttpRoute>('v1', 'httproutes', 'HTTPRoute'),
  referenceGrants: gatewayRef<ReferenceGrant>('v1beta1', 'referencegrants', 'ReferenceGrant'),
};
