import { applyStrategicMergePatch, createTwoWayMergePatch, parseYaml } from '@coracle/apimachinery';
import { CommandError } from '../command/command-error.js';
import { type Context, print, warn } from '../command/context.js';
import { messageOf } from '../command/format-error.js';
import { planCopy } from '../debugging/plan-copy.js';
import { applyProfile, type DebugStyle, isProfile } from '../debugging/profiles.js';
import { attachOrLogs } from '../remote/attach-or-logs.js';
import { findOptions } from '../resources/common-flags.js';
import { requireResources } from '../resources/find-resources.js';
import { goKind, type Info } from '../resources/info.js';
import { schemaOfObject } from '../resources/object-schema.js';
import { filesOf } from '../resources/read-manifests.js';
import { RequestHelper } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { type Fields, isRecord, recordAt, recordsAt, textAt } from '../values.js';

const letters = 'bcdfghjklmnpqrstvwxz2456789';

export async function run(context: Context): Promise<void> {
  for await (const debugged of debugTargets(context)) if (attaches(context)) await attachTo(context, debugged);
}

/** Creates a debug container for each object in the arguments. */
export async function* debugTargets(context: Context): AsyncGenerator<Debugged> {
  const { args, dash, flags, factory } = context;
  const targets = dash < 0 ? args : args.slice(0, dash);
  const command = dash < 0 ? [] : args.slice(dash);
  checkFlags(context, command);
  const custom = await customContainer(context);
  const profile = flags.string('profile');
  if (!isProfile(profile)) throw new CommandError(`unknown profile: ${profile}`);
  if (profile === 'legacy')
    warn(
      context,
      '--profile=legacy is deprecated and will be removed in the future. It is recommended to explicitly specify a profile, for example "--profile=general".',
    );
  const words = targets.map((word) => (word.includes('/') ? word : `pods/${word}`));
  const infos = await requireResources(factory, await findOptions(context, { args: words, latest: true }));
  for (const info of infos) {
    const kind = textAt(info.object, 'kind');
    const job: DebugJob = { context, info, command, custom, profile };
    yield await startDebugging(job, kind);
  }
}

/** The container to look around in, and the pod that it is in. */
export interface Debugged {
  readonly pod: Fields;
  readonly container: string;
  /** Where the pod's status reports it. */
  readonly field: 'containerStatuses' | 'ephemeralContainerStatuses';
}

/** Makes the container for one object. */
function startDebugging(job: DebugJob, kind: string): Promise<Debugged> {
  const { info, context } = job;
  if (kind === 'Node') return debugNode(job);
  if (kind !== 'Pod')
    throw new CommandError(`${JSON.stringify(info.mapping ? goKind(info.mapping) : kind)} not supported by debug`);
  return context.flags.string('copy-to') === '' ? debugInPlace(job) : debugCopy(job);
}

interface DebugJob {
  readonly context: Context;
  readonly info: Info;
  readonly command: readonly string[];
  readonly custom: Fields | undefined;
  readonly profile: Parameters<typeof applyProfile>[0];
}

function checkFlags({ flags }: Context, command: readonly string[]): void {
  const [image, copyTo] = [flags.string('image'), flags.string('copy-to')];
  const setImage = flags.pairs('set-image');
  if (copyTo === '') {
    if (image === '') throw new CommandError('you must specify --image when not using --copy-to.');
    if (setImage.size > 0) throw new CommandError('--set-image may only be used with --copy-to.');
    if (flags.bool('same-node')) throw new CommandError('--same-node may only be used with --copy-to.');
    if (flags.bool('replace')) throw new CommandError('--replace may only be used with --copy-to.');
  } else {
    if (image === '' && setImage.size === 0 && command.length === 0)
      throw new CommandError('you must specify --image, --set-image or command arguments.');
    if (command.length > 0 && flags.string('container') === '' && image === '')
      throw new CommandError('you must specify an existing container or a new image when specifying args.');
    if (flags.string('target') !== '')
      throw new CommandError('--target is incompatible with --copy-to. Use --share-processes instead.');
  }
  const policy = flags.string('image-pull-policy');
  if (policy !== '' && !['Always', 'IfNotPresent', 'Never'].includes(policy))
    throw new CommandError(`invalid image pull policy: ${policy}`);
  if (flags.bool('tty') && !flags.bool('stdin'))
    throw new CommandError('-i/--stdin is required for containers with -t/--tty=true');
}

async function customContainer({ flags, host }: Context): Promise<Fields | undefined> {
  const path = flags.string('custom');
  if (path === '') return undefined;
  let value: unknown;
  try {
    value = parseYaml(await filesOf(host).read(path));
  } catch (error) {
    throw new CommandError(`must pass a container spec json file for custom profile: ${messageOf(error)}`);
  }
  if (!isRecord(value)) throw new CommandError(`${path} does not contain a valid container spec`);
  return value;
}

/** The container that the flags describe. */
function containerOf({ context, command }: DebugJob, name: string): Fields {
  const { flags } = context;
  const env = [...flags.pairs('env')].map(([key, value]) => ({ name: key, value }));
  const policy = flags.string('image-pull-policy');
  return {
    name,
    image: flags.string('image'),
    ...(command.length > 0 && (flags.bool('arguments-only') ? { args: command } : { command })),
    ...(env.length > 0 && { env }),
    ...(policy !== '' && { imagePullPolicy: policy }),
    ...(flags.bool('stdin') && { stdin: true }),
    terminationMessagePolicy: 'File',
    ...(flags.bool('tty') && { tty: true }),
  };
}

function newName({ context, info }: DebugJob): string {
  const containerName = context.flags.string('container');
  if (containerName !== '') return containerName;
  const taken = new Set(
    ['containers', 'initContainers', 'ephemeralContainers']
      .flatMap((field) => recordsAt(info.object, 'spec', field))
      .map((one) => textAt(one, 'name')),
  );
  for (;;) {
    const random = Array.from(
      { length: 5 },
      () => letters[Math.floor(context.host.random.next() * letters.length)],
    ).join('');
    if (taken.has(`debugger-${random}`)) continue;
    if (!context.flags.bool('quiet')) print(context, `Defaulting debug container name to debugger-${random}.\n`);
    return `debugger-${random}`;
  }
}

/** Profile first, then what the user's own container says. */
async function profiled(
  job: DebugJob,
  style: DebugStyle,
  parts: { pod: Fields; container: Fields },
): Promise<{ pod: Fields; container: Fields }> {
  const result = applyProfile(job.profile, style, parts);
  if (!job.custom) return result;
  const { name: _, image: __, command: ___, ...custom } = job.custom;
  const schema = await schemaOfObject({ apiVersion: 'v1', kind: 'Pod' });
  if (!schema) return result;
  const wrap = (container: Fields) => ({ apiVersion: 'v1', kind: 'Pod', spec: { containers: [container] } });
  const merged = applyStrategicMergePatch(
    wrap(result.container),
    wrap({ ...custom, name: result.container['name'] }),
    schema,
  ) as Fields;
  return { ...result, container: recordsAt(merged, 'spec', 'containers')[0] ?? result.container };
}

async function debugInPlace(job: DebugJob): Promise<Debugged> {
  const { context, info } = job;
  const { flags, factory } = context;
  const pod = info.object ?? {};
  const target = flags.string('target');
  const name = newName(job);
  const { container } = await profiled(job, 'ephemeral', {
    pod,
    container: { ...containerOf(job, name), ...(target !== '' && { targetContainerName: target }) },
  });
  const ephemeralContainers = [...recordsAt(pod, 'spec', 'ephemeralContainers'), container];
  const changed = { ...pod, spec: { ...recordAt(pod, 'spec'), ephemeralContainers } };
  const schema = await schemaOfObject(pod);
  // A name that is taken is for the server to refuse: a patch by name would change the container that has it.
  const isTaken = recordsAt(pod, 'spec', 'ephemeralContainers').some((one) => one['name'] === name);
  const patch =
    schema && !isTaken
      ? ({ type: 'strategic', body: createTwoWayMergePatch(pod, changed, schema) } as const)
      : ({ type: 'merge', body: { spec: { ephemeralContainers } } } as const);
  if (target !== '' && !flags.bool('quiet'))
    print(
      context,
      `Targeting container ${JSON.stringify(target)}. If you don't see processes from this container it may be because the container runtime doesn't support this feature.\n`,
    );
  const helper = new RequestHelper(await factory.client());
  const patched = await helper.patch(info, patch, { subresource: 'ephemeralcontainers' });
  return {
    pod: { kind: 'Pod', apiVersion: 'v1', ...patched },
    container: name,
    field: 'ephemeralContainerStatuses',
  };
}

function attaches({ flags }: Context): boolean {
  return flags.changed('attach') ? flags.bool('attach') : flags.bool('stdin') || flags.bool('attach');
}

async function debugCopy(job: DebugJob): Promise<Debugged> {
  const { context, info, command } = job;
  const { flags, factory } = context;
  const copied = planCopy(info.object ?? {}, {
    name: flags.string('copy-to'),
    sameNode: flags.bool('same-node'),
    shareProcesses: flags.changed('share-processes') ? flags.bool('share-processes') : undefined,
    keepLabels: flags.bool('keep-labels'),
    keepAnnotations: flags.bool('keep-annotations'),
    keepInitContainers: flags.bool('keep-init-containers'),
    keepProbes: {
      liveness: flags.bool('keep-liveness'),
      readiness: flags.bool('keep-readiness'),
      startup: flags.bool('keep-startup'),
    },
    images: flags.pairs('set-image'),
  });
  const containers = recordsAt(copied, 'spec', 'containers');
  const existing = containers.find((one) => one['name'] === flags.string('container'));
  let name = flags.string('container');
  let list = containers;
  let pod = copied;
  if (flags.string('image') !== '' || existing) {
    const base = existing
      ? {
          ...existing,
          ...(flags.string('image') !== '' && { image: flags.string('image') }),
          ...(command.length > 0 && { command }),
        }
      : containerOf(job, (name = newName(job)));
    const result = await profiled(job, 'copy', { pod: copied, container: base });
    pod = result.pod;
    list = existing
      ? containers.map((one) => (one === existing ? result.container : one))
      : [...containers, result.container];
  }
  const helper = new RequestHelper(await factory.client());
  const object = { ...pod, spec: { ...recordAt(pod, 'spec'), containers: list } };
  const { name: _, object: __, ...where } = info;
  const created = await helper.create(where, object);
  if (flags.bool('replace')) await helper.delete(info, {});
  return { pod: { kind: 'Pod', apiVersion: 'v1', ...created }, container: name, field: 'containerStatuses' };
}

async function debugNode(job: DebugJob): Promise<Debugged> {
  const { context, info } = job;
  const { flags, factory, host } = context;
  const random = Array.from({ length: 5 }, () => letters[Math.floor(host.random.next() * letters.length)]).join('');
  const { namespace } = await factory.namespace();
  const name = `node-debugger-${info.name}-${random}`.slice(0, 63);
  const base = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { 'app.kubernetes.io/managed-by': 'kubectl-debug' } },
    spec: { nodeName: info.name, restartPolicy: 'Never', tolerations: [{ operator: 'Exists' }] },
  };
  const container = containerOf(job, flags.string('container') || 'debugger');
  const result = await profiled(job, 'node', { pod: base, container });
  const object = { ...result.pod, spec: { ...recordAt(result.pod, 'spec'), containers: [result.container] } };
  if (!flags.bool('quiet'))
    print(
      context,
      `Creating debugging pod ${name} with container ${textAt(result.container, 'name')} on node ${info.name}.\n`,
    );
  const helper = new RequestHelper(await factory.client());
  const created = await helper.send('POST', `/api/v1/namespaces/${namespace}/pods`, { body: object });
  return {
    pod: { kind: 'Pod', apiVersion: 'v1', ...created },
    container: textAt(result.container, 'name'),
    field: 'containerStatuses',
  };
}

/** Waits until the debug container runs, then joins it. */
async function attachTo(context: Context, { pod, container, field }: Debugged): Promise<void> {
  const { factory, host } = context;
  const helper = new RequestHelper(await factory.client());
  const path = `/api/v1/namespaces/${textAt(pod, 'metadata', 'namespace')}/pods/${textAt(pod, 'metadata', 'name')}`;
  const deadline = host.clock.now() + 300_000;
  for (;;) {
    const current = await helper.send('GET', path);
    const status = recordsAt(current, 'status', field).find((one) => one['name'] === container);
    const { running, terminated } = recordAt(status, 'state');
    if (running || terminated) return attachOrLogs(context, { pod, container, hasEnded: terminated !== undefined });
    if (host.clock.now() > deadline) throw new CommandError('timed out waiting for the condition');
    await sleep(host, 300);
  }
}
