import { type ApiServer, type ApiServerOptions, createApiServer, reconcileRbac } from '@coracle/apiserver';
import {
  type Activity,
  type Clock,
  DisposableStack,
  type Logger,
  type Metrics,
  type Random,
  type Tracer,
} from '@coracle/base';
import { type Client, createClient, createEventRecorder, createInformers, inProcessTransport } from '@coracle/client';
import { allControllers, startControllers } from '@coracle/controllers';
import { createScheduler } from '@coracle/scheduler';
import type { Store } from '@coracle/store';
import { createSecurity, type SecurityOptions } from './security.js';

export interface ControlPlaneOptions extends Omit<SecurityOptions, 'clock' | 'random'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
  readonly activity: Activity;
  readonly runtimeConfig?: NonNullable<ApiServerOptions['runtimeConfig']>;
  /** The cluster's CA certificate as PEM, which pods check the API server's by; empty if it does not listen. */
  readonly caCertificate?: string;
  /** Which components run beside the API server; all unless stated. */
  readonly components?: { readonly scheduler?: boolean; readonly controllers?: boolean };
}

export interface ControlPlane extends AsyncDisposable {
  readonly server: ApiServer;
  /** A client in this process, as an administrator. */
  readonly client: Client;
  /** A client in this process as somebody else. */
  clientFor(user: string, groups?: readonly string[]): Client;
}

/** Starts an API server on the store and the components that make it a cluster. */
export async function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  const parts = new DisposableStack();
  try {
    const server = parts.use(await createApiServer({ ...options, ...createSecurity(options) }));
    await reconcileRbac(server);
    const clientFor = (user: string, groups: readonly string[] = []) =>
      createClient({
        transport: inProcessTransport(server),
        userAgent: user.replace(/^.*:/, ''),
        user: { name: user, groups },
      });
    startComponents({ ...options, clientFor, parts });
    return {
      server,
      client: clientFor('kubernetes-admin', ['system:masters']),
      clientFor,
      [Symbol.asyncDispose]: () => parts[Symbol.asyncDispose](),
    };
  } catch (error) {
    await parts[Symbol.asyncDispose]();
    throw error;
  }
}

interface ComponentContext extends ControlPlaneOptions {
  readonly clientFor: ControlPlane['clientFor'];
  readonly parts: DisposableStack;
}

function startComponents(context: ComponentContext): void {
  const { components = {} } = context;
  if (components.controllers ?? true) startControllerManager(context);
  if (components.scheduler ?? true) startScheduler(context);
}

function startControllerManager({ clientFor, parts, caCertificate = '', ...shared }: ComponentContext): void {
  const client = clientFor('system:kube-controller-manager');
  const informers = parts.use(createInformers({ ...shared, client }));
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kube-system'];
  parts.use(
    startControllers({
      ...shared,
      informers,
      controllers: allControllers({ caCertificate }),
      clientFor: (account) => clientFor(`system:serviceaccount:kube-system:${account}`, groups),
    }),
  );
}

function startScheduler({ clientFor, parts, ...shared }: ComponentContext): void {
  const client = clientFor('system:kube-scheduler');
  const informers = parts.use(createInformers({ ...shared, client }));
  const recorder = parts.use(createEventRecorder({ ...shared, client, component: 'default-scheduler' }));
  const scheduler = parts.use(createScheduler({ ...shared, client, informers, recorder }));
  informers.start();
  scheduler.start();
}
