import { type apiextensionsv1, refs } from '@coracle/api';
import { isConditionTrue, type KubeObject, type ResourceRef } from '@coracle/apimachinery';
import { DisposableStack } from '@coracle/base';
import type { InformerFactory, InformerOptions } from '@coracle/client';
import { type Gateway, type GatewayClass, gatewayRefs, type HttpRoute, type ReferenceGrant } from './gateway-types.js';

type Crd = apiextensionsv1.CustomResourceDefinition;

export interface FollowGatewaysOptions {
  /** For CRDs, which are always there. */
  readonly informers: InformerFactory;
  /** Makes informers for kinds that come and go with their CRDs. */
  readonly createInformers: () => InformerFactory;
  /** Something has changed. */
  readonly wake: () => void;
}

export interface GatewayObjects {
  readonly classes: readonly GatewayClass[];
  readonly gateways: readonly Gateway[];
  readonly routes: readonly HttpRoute[];
  readonly grants: readonly ReferenceGrant[];
}

const needed: readonly ResourceRef<KubeObject>[] = [
  gatewayRefs.gatewayClasses,
  gatewayRefs.gateways,
  gatewayRefs.httpRoutes,
];

/** Without the schemas, which are most of a CRD: there may be a thousand of them. */
const light: InformerOptions = {
  transform: (object) => {
    const { spec } = object as KubeObject as Crd;
    const versions = (spec?.versions ?? []).map(({ schema: _schema, ...version }) => version);
    return { ...object, spec: { ...spec, versions } };
  },
};

/** Follows the objects of the Gateway API while its CRDs are installed. */
export class FollowedGateways implements AsyncDisposable {
  readonly #options: FollowGatewaysOptions;
  readonly #handler: Disposable;
  #informers: InformerFactory | undefined;
  /** Informers that are no longer needed, while they end. */
  readonly #ending = new DisposableStack();
  #grants = false;

  constructor(options: FollowGatewaysOptions) {
    this.#options = options;
    this.#handler = options.informers.for(refs.customResourceDefinitions, light).addHandler(({ object }) => {
      if (object.spec?.group === gatewayRefs.gateways.group) this.#look();
    });
  }

  /** All objects; `undefined` while the CRDs are missing or nothing has been listed yet. */
  objects(): GatewayObjects | undefined {
    const informers = this.#informers;
    if (!informers || !needed.every((ref) => informers.for(ref).hasSynced)) return undefined;
    return {
      classes: informers.for(gatewayRefs.gatewayClasses).list(),
      gateways: informers.for(gatewayRefs.gateways).list(),
      routes: informers.for(gatewayRefs.httpRoutes).list(),
      grants: this.#grants ? informers.for(gatewayRefs.referenceGrants).list() : [],
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#handler[Symbol.dispose]();
    await this.#informers?.[Symbol.asyncDispose]();
    await this.#ending[Symbol.asyncDispose]();
  }

  #look(): void {
    const crds = this.#options.informers.for(refs.customResourceDefinitions, light);
    const serves = (ref: ResourceRef<KubeObject>) => isServed(crds.get(`${ref.resource}.${ref.group}`), ref.version);
    const present = needed.every(serves);
    const grants = serves(gatewayRefs.referenceGrants);
    if (this.#informers && (!present || grants !== this.#grants)) {
      this.#ending.use(this.#informers);
      this.#informers = undefined;
      this.#options.wake();
    }
    this.#grants = grants;
    if (present && !this.#informers) this.#follow();
  }

  #follow(): void {
    const informers = this.#options.createInformers();
    this.#informers = informers;
    for (const ref of this.#grants ? [...needed, gatewayRefs.referenceGrants] : needed)
      informers.for(ref).addHandler(() => this.#options.wake());
    informers.start();
    void informers.synced().then(() => this.#options.wake());
  }
}

function isServed(crd: Crd | undefined, version: string): boolean {
  if (!crd || crd.metadata.deletionTimestamp) return false;
  if (!isConditionTrue(crd.status?.conditions, 'Established')) return false;
  return (crd.spec?.versions ?? []).some((one) => one.name === version && one.served);
}
