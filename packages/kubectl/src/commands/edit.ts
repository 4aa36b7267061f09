import type { Context } from '../command/context.js';
import { checkEditFormat, runEditSession, withoutManaged } from '../editing/edit-session.js';
import { saveEdit } from '../editing/save-edit.js';
import { findOptions } from '../resources/common-flags.js';
import { requireResources } from '../resources/find-resources.js';
import { copyOf } from '../values.js';

export async function run(context: Context): Promise<void> {
  checkEditFormat(context);
  const subresource = context.flags.string('subresource');
  const infos = await requireResources(
    context.factory,
    await findOptions(context, { latest: true, ...(subresource && { subresource }) }),
  );
  await runEditSession(context, {
    infos,
    shown: ({ object = {} }) => withoutManaged(copyOf(object), context),
    save: (info, edited, original) => saveEdit(context, info, { original, edited }),
  });
}
