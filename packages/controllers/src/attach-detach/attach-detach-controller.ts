import { type Node, type Pod, refs, type VolumeAttachment } from '@coracle/api';
import { isAlreadyExists, isNotFound } from '@coracle/apimachinery';
import { deepEqual, type Millis } from '@coracle/base';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { indexPodsByNode, podsOnNode } from '../pods-on-node.js';
import { multiAttachMessage } from './multi-attach.js';
import {
  type AttachmentView,
  type Detachment,
  healthOf,
  planAttachments,
  uniqueVolumeName,
  unwantedVolumes,
  type WantedVolume,
  wantedVolumes,
} from './plan-attachments.js';

const managedAnnotation = 'volumes.kubernetes.io/controller-managed-attach-detach';
const byNode = 'attachments-by-node';
const byVolume = 'attachments-by-volume';
/** Retry interval for a volume that another node has attached. */
const recheckMs: Millis = 60_000;
/** Time after which a volume is detached from an unhealthy node that has not unmounted it. */
const unmountMs: Millis = 6 * 60_000;
const defaultSyncPeriodMs: Millis = 60_000;

export interface AttachDetachOptions {
  /** `--disable-force-detach-on-timeout`: volumes of unhealthy nodes stay attached until they are out of service. */
  readonly isForceDetachDisabled?: boolean | undefined;
  /** `--attach-detach-reconcile-sync-period`: interval of resyncs of a node with attached volumes. */
  readonly syncPeriodMs?: Millis | undefined;
  /** `--disable-attach-detach-reconcile-sync`. */
  readonly isSyncDisabled?: boolean | undefined;
}

/** Dependencies and state of the controller. */
interface Work {
  readonly context: ControllerContext;
  readonly unmountMs: Millis | undefined;
  /** Without it there are no resyncs. */
  readonly syncPeriodMs: Millis | undefined;
  /** By node: the time since when no pod needs its volumes. */
  readonly unwanted: Map<string, ReadonlyMap<string, Millis>>;
  /** By node: volumes on other nodes about which their pods got an event. */
  readonly blocked: Map<string, ReadonlySet<string>>;
}

/** Creates and deletes VolumeAttachments, so that CSI drivers attach volumes to the nodes of their pods and detach them. */
export function attachDetachController(options: AttachDetachOptions = {}): Controller {
  const { isForceDetachDisabled = false, isSyncDisabled = false, syncPeriodMs = defaultSyncPeriodMs } = options;
  return {
    name: 'persistentvolume-attach-detach-controller',
    account: 'attachdetach-controller',
    component: 'attachdetach-controller',
    start: (context) =>
      run({
        context,
        unmountMs: isForceDetachDisabled ? undefined : unmountMs,
        syncPeriodMs: isSyncDisabled ? undefined : syncPeriodMs,
        unwanted: new Map(),
        blocked: new Map(),
      }),
  };
}

function run(work: Work): AsyncDisposable {
  const { context } = work;
  const { informers } = context;
  indexPodsByNode(informers);
  const attachments = informers.for(refs.volumeAttachments);
  attachments.addIndex(byNode, ({ spec }) => [spec.nodeName]);
  attachments.addIndex(byVolume, ({ spec }) => volumeNameOf(spec));
  const claims = informers.for(refs.persistentVolumeClaims);
  const pods = informers.for(refs.pods);
  return runKeyed(context, {
    name: 'attach_detach',
    watch: (queue) => [
      pods.addHandler(({ object }) => {
        const { nodeName, volumes = [] } = object.spec ?? {};
        if (nodeName && volumes.some(needsClaim)) queue.add(nodeName);
      }),
      attachments.addHandler((event) => {
        const { object } = event;
        if (event.type === 'updated') tellOutcome(context, event.previous, object);
        queue.add(object.spec.nodeName);
        if (event.type === 'deleted') for (const name of nodesWaiting(context, object)) queue.add(name);
      }),
      claims.addHandler(({ object }) => {
        for (const pod of pods.list())
          if (
            pod.metadata.namespace === object.metadata.namespace &&
            pod.spec?.nodeName &&
            usesClaim(pod, object.metadata.name)
          )
            queue.add(pod.spec.nodeName);
      }),
      informers.for(refs.persistentVolumes).addHandler(() => undefined),
      informers.for(refs.csiDrivers).addHandler(() => undefined),
      informers.for(refs.nodes).addHandler((event) => {
        if (event.type !== 'updated' || !deepEqual(detachFacts(event.object), detachFacts(event.previous)))
          queue.add(event.object.metadata.name ?? '');
      }),
    ],
    reconcile: async (nodeName) => {
      const requeueAfterMs = await syncNode(work, nodeName);
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    },
  });
}

/** The fields of a node that decide whether its volumes can be detached. */
function detachFacts(node: Node) {
  return { ...healthOf(node), volumesInUse: node.status?.volumesInUse };
}

function needsClaim({
  persistentVolumeClaim,
  ephemeral,
}: {
  persistentVolumeClaim?: unknown;
  ephemeral?: unknown;
}): boolean {
  return persistentVolumeClaim !== undefined || ephemeral !== undefined;
}

function usesClaim({ metadata, spec }: Pod, claimName: string | undefined): boolean {
  return (spec?.volumes ?? []).some(
    ({ name, persistentVolumeClaim, ephemeral }) =>
      persistentVolumeClaim?.claimName === claimName || (ephemeral && `${metadata.name}-${name}` === claimName),
  );
}

function volumeNameOf({ source }: VolumeAttachment['spec']): string[] {
  return source.persistentVolumeName ? [source.persistentVolumeName] : [];
}

/** Delay of the next sync: for a resync, or because a volume is attached elsewhere or can be force-detached. */
async function syncNode(work: Work, nodeName: string): Promise<Millis | undefined> {
  const { context, unwanted } = work;
  const node = context.informers.for(refs.nodes).get(nodeName);
  if (node && node.metadata.annotations?.[managedAnnotation] !== 'true') return undefined;
  const view = timed(work, viewOf(context, nodeName, node));
  if (view.unwantedSince.size > 0) unwanted.set(nodeName, view.unwantedSince);
  else unwanted.delete(nodeName);
  const plan = planAttachments(view);
  if (node) for (const one of plan.attach) await attach(context, nodeName, one);
  reportBlocked(work, nodeName, { view, blocked: plan.blocked });
  for (const one of plan.detach) await detach(context, nodeName, one);
  if (node) await reportAttached(context, node, view);
  const waits = [
    ...(work.syncPeriodMs !== undefined && view.attached.size > 0 ? [work.syncPeriodMs] : []),
    ...(plan.blocked.length > 0 ? [recheckMs] : []),
    ...(plan.forceAt === undefined ? [] : [plan.forceAt - view.now]),
  ];
  return waits.length > 0 ? Math.min(...waits) : undefined;
}

type Untimed = Omit<AttachmentView, 'unwantedSince' | 'now' | 'unmountMs'>;

function timed({ context, unmountMs, unwanted }: Work, view: Untimed): AttachmentView {
  const now = context.clock.now();
  const unwantedSince = unwantedVolumes(unwanted.get(view.nodeName) ?? new Map(), { ...view, now });
  return { ...view, now, unmountMs, unwantedSince };
}

async function detach(
  { client, metrics, logger }: ControllerContext,
  nodeName: string,
  { attachment, forced }: Detachment,
): Promise<void> {
  const { name = '' } = attachment.metadata;
  await client.resource(refs.volumeAttachments).delete(name).catch(unlessNotFound);
  if (!forced) return;
  forcedDetaches(metrics).add(1, { reason: forced });
  logger.info('Force-detached a volume', { attachment: name, node: nodeName, reason: forced });
}

function forcedDetaches(metrics: ControllerContext['metrics']) {
  return metrics.counter({
    name: 'attach_detach_controller_attachdetach_controller_forced_detaches',
    help: 'Number of times the A/D Controller performed a forced detach',
    labels: ['reason'],
  });
}

/** The name of an attachment of this controller. Attachments of other clients are not removed. */
const ownName = /^csi-[0-9a-f]{64}$/;

function viewOf({ informers }: ControllerContext, nodeName: string, node: Node | undefined): Untimed {
  const attachments = informers.for(refs.volumeAttachments);
  const volumes = informers.for(refs.persistentVolumes);
  const mounted = new Set(node?.status?.volumesInUse);
  const attached = new Map(
    attachments
      .byIndex(byNode, nodeName)
      .filter(({ metadata }) => ownName.test(metadata.name ?? ''))
      .flatMap((one) => volumeNameOf(one.spec).map((name) => [name, one] as const)),
  );
  const isMounted = (name: string) => {
    const { driver, volumeHandle } = volumes.get(name)?.spec?.csi ?? {};
    return driver !== undefined && mounted.has(uniqueVolumeName(driver, volumeHandle ?? ''));
  };
  return {
    nodeName,
    desired: wantedVolumes(podsOnNode(informers, nodeName), {
      claim: (namespace, name) => informers.for(refs.persistentVolumeClaims).get(`${namespace}/${name}`),
      volume: (name) => volumes.get(name),
      driver: (name) => informers.for(refs.csiDrivers).get(name),
    }),
    attached,
    elsewhere: (name) =>
      attachments
        .byIndex(byVolume, name)
        .map(({ spec }) => spec.nodeName)
        .filter((other) => other !== nodeName),
    inUse: new Set([...attached.keys()].filter(isMounted)),
    health: healthOf(node),
  };
}

async function attach({ client }: ControllerContext, nodeName: string, one: WantedVolume): Promise<void> {
  await client
    .resource(refs.volumeAttachments)
    .create({
      metadata: { name: await attachmentName(one, nodeName) },
      spec: {
        attacher: one.driver,
        nodeName,
        source: { persistentVolumeName: one.volume.metadata.name ?? '' },
      },
    } as VolumeAttachment)
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

/** The name that kube-controller-manager uses, which external attachers and other tools may look for. */
async function attachmentName({ handle, driver }: WantedVolume, nodeName: string): Promise<string> {
  const text = new TextEncoder().encode(`${handle}${driver}${nodeName}`);
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', text));
  return `csi-${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Kubelets mount the volumes that the status of their node lists as attached. */
async function reportAttached(
  { client }: ControllerContext,
  node: Node,
  { desired, attached }: Untimed,
): Promise<void> {
  const volumesAttached = [...attached].flatMap(([name, { status, metadata }]) => {
    const one = desired.get(name);
    const attachedVolume = node.status?.volumesAttached?.find(
      (each) => one && each.name === uniqueVolumeName(one.driver, one.handle),
    );
    if (!status?.attached || metadata.deletionTimestamp) return [];
    if (one) return [{ name: uniqueVolumeName(one.driver, one.handle), devicePath: '' }];
    return attachedVolume ? [attachedVolume] : [];
  });
  if (deepEqual(volumesAttached, node.status?.volumesAttached ?? [])) return;
  await client
    .resource(refs.nodes)
    .patch(node.metadata.name ?? '', { status: { volumesAttached } }, { type: 'merge', subresource: 'status' })
    .catch(unlessNotFound);
}

function tellOutcome(context: ControllerContext, before: VolumeAttachment, after: VolumeAttachment): void {
  const [name = ''] = volumeNameOf(after.spec);
  const pods = () => usersOn(context, after.spec.nodeName, name);
  const problem = after.status?.attachError?.message;
  if (after.status?.attached && !before.status?.attached)
    for (const pod of pods())
      record(context, pod, 'Normal', 'SuccessfulAttachVolume', `AttachVolume.Attach succeeded for volume "${name}" `);
  else if (problem !== undefined && problem !== before.status?.attachError?.message)
    for (const pod of pods())
      record(
        context,
        pod,
        'Warning',
        'FailedAttachVolume',
        `AttachVolume.Attach failed for volume "${name}" : ${problem}`,
      );
}

/** Once for each volume, until it is attached or no longer needed. */
function reportBlocked(
  { context, blocked: reported }: Work,
  nodeName: string,
  { view, blocked }: { readonly view: Untimed; readonly blocked: readonly WantedVolume[] },
): void {
  const before = reported.get(nodeName);
  for (const { volume, pods } of blocked) {
    const name = volume.metadata.name ?? '';
    if (before?.has(name)) continue;
    const others = view.elsewhere(name).flatMap((node) => usersOn(context, node, name));
    for (const pod of pods)
      record(context, pod, 'Warning', 'FailedAttachVolume', multiAttachMessage(name, pod, others));
  }
  if (blocked.length === 0) reported.delete(nodeName);
  else reported.set(nodeName, new Set(blocked.map(({ volume }) => volume.metadata.name ?? '')));
}

function usersOn(context: ControllerContext, nodeName: string, volumeName: string): readonly Pod[] {
  return viewOf(context, nodeName, undefined).desired.get(volumeName)?.pods ?? [];
}

function record(
  { recorder }: ControllerContext,
  pod: Pod,
  ...[type, reason, message]: ['Normal' | 'Warning', string, string]
): void {
  recorder.event({ ...pod, apiVersion: 'v1', kind: 'Pod' }, type, reason, message);
}

/** Nodes whose pods use the volume of an attachment. */
function nodesWaiting({ informers }: ControllerContext, { spec }: VolumeAttachment): string[] {
  const [name = ''] = volumeNameOf(spec);
  const claim = informers.for(refs.persistentVolumes).get(name)?.spec?.claimRef;
  if (!claim) return [];
  return informers
    .for(refs.pods)
    .list()
    .filter((pod) => pod.metadata.namespace === claim.namespace && usesClaim(pod, claim.name))
    .flatMap((pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []));
}

function unlessNotFound(error: unknown): undefined {
  if (!isNotFound(error)) throw error;
}
