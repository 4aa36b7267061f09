import { CommandError, throwCollected } from '../command/command-error.js';
import { type Context, print } from '../command/context.js';
import { printerOf } from '../printers/print-flags.js';
import type { DryRun } from '../resources/common-flags.js';
import { dryRunOf, findOptions } from '../resources/common-flags.js';
import { findResources } from '../resources/find-resources.js';
import type { Info } from '../resources/info.js';
import { RequestHelper } from '../resources/request-helper.js';
import { sleep } from '../resources/sleep.js';
import { numberAt, textAt } from '../values.js';

export interface Scaling {
  readonly replicas: number;
  /** Only from this number; -1 from any. */
  readonly currentReplicas: number;
  /** Only at this version; empty for any. */
  readonly resourceVersion: string;
  readonly dryRun: DryRun;
}

export async function run(context: Context): Promise<void> {
  const { flags, factory } = context;
  const replicas = flags.number('replicas');
  if (replicas < 0)
    throw new CommandError('The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0');
  const dryRun = dryRunOf(context);
  const { infos, errors } = await findResources(factory, await findOptions(context, { latest: true }));
  const resourceVersion = flags.string('resource-version');
  if (resourceVersion !== '' && infos.length > 1)
    throw new CommandError('cannot use --resource-version with multiple resources');
  const scaling = { replicas, currentReplicas: flags.number('current-replicas'), resourceVersion, dryRun };
  const printer = await printerOf(context, { operation: 'scaled', dryRun });
  const helper = new RequestHelper(await factory.client());
  // The first that cannot be scaled ends the command; objects that were not found are reported after the others.
  for (const info of infos) {
    if (dryRun !== 'client') await scaleResource(helper, info, scaling);
    if (flags.number('timeout') > 0 && dryRun === 'none') await waitForScale(context, helper, info);
    print(context, printer.print(info.object ?? {}));
  }
  throwCollected(errors);
  if (infos.length === 0) throw new CommandError('no objects passed to scale');
}

/** Sets the number of replicas through the scale subresource, if the preconditions hold. */
export async function scaleResource(helper: RequestHelper, info: Info, scaling: Scaling): Promise<void> {
  const { replicas, currentReplicas, resourceVersion, dryRun } = scaling;
  if (currentReplicas >= 0 || resourceVersion !== '') {
    const scale = await helper.get(info, { subresource: 'scale' });
    const was = numberAt(scale, 'spec', 'replicas') ?? 0;
    if (currentReplicas >= 0 && was !== currentReplicas)
      throw new CommandError(`Expected replicas to be ${currentReplicas}, was ${was}`);
    const version = textAt(scale, 'metadata', 'resourceVersion');
    if (resourceVersion !== '' && version !== resourceVersion)
      throw new CommandError(`Expected resource version to be ${resourceVersion}, was ${version}`);
  }
  await helper.patch(
    info,
    { type: 'merge', body: { spec: { replicas } } },
    { subresource: 'scale', ...(dryRun === 'server' && { dryRun: true }) },
  );
}

async function waitForScale({ flags, host }: Context, helper: RequestHelper, info: Info): Promise<void> {
  const deadline = host.clock.now() + flags.number('timeout');
  for (;;) {
    const scale = await helper.get(info, { subresource: 'scale' });
    const [desired, there] = [numberAt(scale, 'spec', 'replicas') ?? 0, numberAt(scale, 'status', 'replicas') ?? 0];
    if (desired === there) return;
    if (host.clock.now() > deadline) throw new CommandError('timed out waiting for the condition');
    await sleep(host, 200);
  }
}
