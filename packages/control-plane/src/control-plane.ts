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
import { type Client, createClient, createEventRecorder, createInformers } from '@coracle/client';
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
        transport: { exchange: server.exchange },
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
  const { components = {}, clientFor, parts, clock, random, logger, activity, tracer } = context;
  if (components.scheduler ?? true) {
    const client = clientFor('system:kube-scheduler');
    const informers = parts.use(createInformers({ client, clock, random, logger, activity }));
    const recorder = parts.use(createEventRecorder({ client, clock, random, logger, component: 'default-scheduler' }));
    const scheduler = parts.use(
      createScheduler({ client, informers, recorder, clock, random, logger, activity, tracer }),
    );
    informers.start();
    scheduler.start();
  }
}
