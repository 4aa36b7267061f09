import { refs, type storagemigrationv1beta1 } from '@coracle/api';
import { isConflict, isNotFound, type KubeObject, type ResourceInfo } from '@coracle/apimachinery';
import { messageOf } from '@coracle/base';
import { refOf } from '@coracle/client';
import { type Controller, type ControllerContext, runKeyed } from '../controller.js';
import { whenServed } from '../when-served.js';
import { isFinished, type MigrationChange, withCondition } from './migration-conditions.js';

type Migration = storagemigrationv1beta1.StorageVersionMigration;

/** Page size. */
const page = 500;

/**
 * Rewrites every object of a resource unchanged, so that it is stored in the current version, and encrypted with the
 * current key.
 */
export const storageVersionMigrator: Controller = whenServed<Migration>({
  name: 'storage-version-migrator-controller',
  versions: [refs.storageVersionMigrations],
  start(context, ref) {
    const informer = context.informers.for(ref);
    return runKeyed(context, {
      name: 'svm_controller',
      watch: (queue) => [
        informer.addHandler(({ type, object }) => {
          if (type !== 'deleted') queue.add(object.metadata.name ?? '');
        }),
      ],
      async reconcile(name) {
        const migration = informer.get(name);
        if (!migration || isFinished(migration)) return undefined;
        await migrate(migration, context);
        return undefined;
      },
    });
  },
});

async function migrate(migration: Migration, context: ControllerContext): Promise<void> {
  const { group = '', resource = '' } = migration.spec?.resource ?? {};
  const { resources } = await context.catalog.read();
  const info = resources.find((one) => one.group === group && one.resource === resource);
  if (!info) {
    const name = group === '' ? resource : `${resource}.${group}`;
    await save(migration, context, { type: 'Failed', message: `resource ${name} does not exist` });
    return;
  }
  const running = await save(migration, context, { type: 'Running', resourceVersion: await versionOf(info, context) });
  try {
    await rewriteAll(info, context);
    await save(running, context, { type: 'Succeeded' });
  } catch (error) {
    await save(running, context, { type: 'Failed', message: messageOf(error) });
  }
}

/** The current resourceVersion of the resource: objects that are written later have the new version anyway. */
async function versionOf(info: ResourceInfo, { client }: ControllerContext): Promise<string> {
  const { metadata } = await client.resource<KubeObject>(refOf(info)).list({ limit: 1 });
  return metadata.resourceVersion ?? '';
}

async function rewriteAll(info: ResourceInfo, { client }: ControllerContext): Promise<void> {
  const ref = refOf(info);
  let next: string | undefined;
  do {
    const list = await client.resource<KubeObject>(ref).list({ limit: page, ...(next && { continue: next }) });
    for (const { metadata } of list.items) {
      const { name = '', namespace, uid, resourceVersion } = metadata;
      await client
        .resource<KubeObject>(ref, namespace)
        .patch(name, { metadata: { uid, resourceVersion } }, { type: 'merge' })
        .catch((error: unknown) => {
          // Deleted, or written by another client meanwhile: then it is stored in the new version.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
    }
    next = list.metadata.continue || undefined;
  } while (next !== undefined);
}

async function save(
  migration: Migration,
  { client, clock }: ControllerContext,
  change: MigrationChange,
): Promise<Migration> {
  return client.resource(refs.storageVersionMigrations).updateStatus(withCondition(migration, change, clock.now()));
}
