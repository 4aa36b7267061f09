import { every, type Logger, type Millis } from '@coracle/base';
import type { Store } from '@coracle/store';
import type { PostStartHooks } from '../health/post-start-hooks.js';
import type { Needs } from '../server-parts.js';
import { ensureApiServices } from './api-services.js';
import { type AuthenticationInfo, publishAuthenticationInfo } from './authentication-info.js';
import { ensureObjects, flowControlObjects, systemNamespaces } from './bootstrap-objects.js';
import { createServerEndpoint, type EndpointReconciler } from './endpoint-reconciler.js';
import { IdentityLease } from './identity-lease.js';
import {
  correctKubernetesService,
  ensureKubernetesService,
  type KubernetesService,
  type ServerAddress,
} from './kubernetes-service.js';
import { priorityClasses } from './priority-classes.js';
import { ensureTokenTracking } from './token-tracking.js';

const checkEveryMs: Millis = 60_000;
/**
 * Interval of the endpoint reconciler of the service `kubernetes`; it is shorter because others rely on it to see which
 * servers run.
 */
const reconcileEveryMs: Millis = 10_000;

/** Interval of the search for leases of servers that have stopped. */
const collectEveryMs: Millis = 3_600_000;

export interface BootstrapOptions {
  readonly service: KubernetesService;
  readonly logger: Logger;
  readonly hooks: PostStartHooks;
  /** Given if other API servers may use the same store. */
  readonly sharedStore?: Store | undefined;
  /** The host name of the machine. If set, the server renews an identity lease. */
  readonly hostname?: string | undefined;
  readonly endpointReconciler?: EndpointReconciler | undefined;
}

/** Keeps the system namespaces and the `kubernetes` service in being. */
export interface Upkeep extends AsyncDisposable {
  /** Puts the server behind the `kubernetes` service, once it can be reached there. */
  announce(address: ServerAddress): Promise<void>;
  /** Publishes how this server authenticates clients. */
  publish(info: AuthenticationInfo): Promise<void>;
}

/** Makes what every cluster has. */
export type BootstrapParts = Needs<'objects' | 'writer' | 'resources' | 'clock' | 'random'>;

export async function bootstrapCluster(parts: BootstrapParts, options: BootstrapOptions): Promise<Upkeep> {
  const { service, logger, sharedStore, hooks, hostname, endpointReconciler } = options;
  const identity = hostname === undefined ? undefined : new IdentityLease(parts, hostname);
  let published: AuthenticationInfo | undefined;
  const ownEndpoint = createServerEndpoint(parts, endpointReconciler, sharedStore);
  const keepService = async () => {
    await ensureKubernetesService(parts, service, ownEndpoint.address?.port);
    await ownEndpoint.tell();
  };
  const tellOthers = async () => {
    await keepService();
    await identity?.renew();
  };
  const keepInBeing = async () => {
    await ensureObjects(parts, systemNamespaces);
    await ensureTokenTracking(parts);
    if (published) await publishAuthenticationInfo(parts, published);
  };
  await hooks.run('start-system-namespaces-controller', () => ensureObjects(parts, systemNamespaces));
  await Promise.all([
    hooks.run('scheduling/bootstrap-system-priority-classes', () => ensureObjects(parts, priorityClasses)),
    hooks.run('priority-and-fairness-config-producer', () => ensureObjects(parts, flowControlObjects)),
    hooks.run('bootstrap-controller', keepService),
    hooks.run('start-legacy-token-tracking-controller', () => ensureTokenTracking(parts)),
    hooks.run('kube-apiserver-autoregistration', () => ensureApiServices(parts), ['autoregister-completion']),
  ]);
  if (identity) {
    await hooks.run('start-kube-apiserver-identity-lease-controller', () => identity.renew());
    await hooks.run('start-kube-apiserver-identity-lease-garbage-collector', () => identity.collect());
  }
  const repeat = (periodMs: Millis, work: () => Promise<void>) =>
    every(parts.clock, periodMs, () => {
      work().catch((error: unknown) => logger.error('failed to reconcile system objects', { error }));
    });
  const timers = [repeat(reconcileEveryMs, tellOthers), repeat(checkEveryMs, keepInBeing)];
  const collection =
    identity &&
    every(parts.clock, collectEveryMs, () => {
      identity.collect().catch((error: unknown) => logger.error('failed to delete expired identity leases', { error }));
    });
  return {
    announce: async (address) => {
      await correctKubernetesService(parts, service, address.port);
      await ownEndpoint.announce(address);
    },
    publish: (info) => {
      const isFirst = published === undefined;
      published = info;
      const write = () => publishAuthenticationInfo(parts, info);
      return isFirst ? hooks.run('start-cluster-authentication-info-controller', write) : write();
    },
    [Symbol.asyncDispose]: async () => {
      for (const timer of timers) timer[Symbol.dispose]();
      collection?.[Symbol.dispose]();
      await ownEndpoint
        .leave()
        .catch((error: unknown) =>
          logger.error('failed to remove this server from the endpoints of the service kubernetes', { error }),
        );
    },
  };
}
