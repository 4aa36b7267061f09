import {
  type Client,
  type Clock,
  type ConfigMap,
  createOrUpdate,
  type Deployment,
  type EventRecorder,
  generationChanged,
  type KubeObject,
  type Manager,
  newController,
  type ResourceRef,
  reconcileObject,
  refs,
  runFinalizers,
  type Service,
  setControllerReference,
  withCondition,
  writeStatus,
} from 'coracle';
import { desiredDeployment, desiredPages, desiredService, labelsOf } from './desired-state.js';
import { Website } from './website.js';

/** Names that are registered outside the cluster. Both calls may be repeated. */
export interface HostNames {
  register(host: string): Promise<void>;
  release(host: string): Promise<void>;
}

export interface WebsiteControllerOptions {
  readonly clock: Clock;
  readonly hostNames: HostNames;
}

export const hostNameFinalizer = 'example.org/host-name';

/** Adds the controller of websites. */
export function addWebsiteController(manager: Manager, { clock, hostNames }: WebsiteControllerOptions): void {
  const { client } = manager;
  const recorder = manager.eventRecorder('website-controller');
  const parts: Parts = { client, clock, hostNames, recorder };
  newController(manager)
    .for(Website, { predicates: [generationChanged] })
    .owns(refs.configMaps)
    .owns(refs.deployments)
    .owns(refs.services)
    .complete(reconcileObject({ client, ref: Website }, (website) => reconcile(website, parts)));
}

interface Parts extends WebsiteControllerOptions {
  readonly client: Client;
  readonly recorder: EventRecorder;
}

async function reconcile(found: Website, parts: Parts): Promise<void> {
  const { client, hostNames, recorder } = parts;
  const { namespace } = found.metadata;
  const { object: website, deleting } = await runFinalizers(found, {
    resource: client.resource(Website, namespace),
    finalizers: { [hostNameFinalizer]: ({ spec }) => hostNames.release(spec.host) },
  });
  if (deleting) return;
  await hostNames.register(website.spec.host);

  const own = <T extends KubeObject>(ref: ResourceRef<T>, desired: (website: Website, current: T) => T) =>
    createOrUpdate({
      client,
      ref,
      namespace,
      name: website.metadata.name ?? '',
      mutate: (current) => setControllerReference(desired(website, current), website, Website),
    });
  await own<ConfigMap>(refs.configMaps, desiredPages);
  await own<Service>(refs.services, desiredService);
  const { object: deployment, operation } = await own<Deployment>(refs.deployments, desiredDeployment);
  if (operation === 'created')
    recorder.event(website, 'Normal', 'Created', `Created deployment ${website.metadata.name}`);
  await report(website, deployment, parts);
}

async function report(website: Website, { status }: Deployment, { client, clock }: Parts): Promise<void> {
  const ready = status?.readyReplicas ?? 0;
  const replicas = website.spec.replicas;
  const selector = Object.entries(labelsOf(website)).map(([name, value]) => `${name}=${value}`);
  const reported: Website = {
    ...website,
    status: {
      ...website.status,
      readyReplicas: ready,
      selector: selector.join(','),
      url: `http://${website.spec.host}/`,
    },
  };
  const next = withCondition(
    reported,
    {
      type: 'Ready',
      status: ready >= replicas ? 'True' : 'False',
      reason: ready >= replicas ? 'AllReplicasReady' : 'WaitingForReplicas',
      message: `${ready} of ${replicas} replicas are ready`,
    },
    clock,
  );
  await writeStatus(client.resource(Website, website.metadata.namespace), { current: website, next });
}
