import { type Context, print, usageError } from '../command/context.js';

export async function run(context: Context): Promise<void> {
  const { args, factory } = context;
  if (args.length > 0) throw usageError(context, `unexpected arguments: [${args.join(' ')}]`);
  const discovery = await factory.discovery();
  discovery.invalidate();
  const { groups } = await discovery.resources();
  const versions = groups.flatMap((group) => group.versions.map(({ groupVersion }) => groupVersion)).sort();
  print(context, versions.map((version) => `${version}\n`).join(''));
}
