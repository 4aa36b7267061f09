import type { CommandSpec, Context } from '../command/command-spec.js';
import type { Generated } from '../command/generated-object.js';

interface Generator {
  generate(context: Context): Generated | Promise<Generated>;
}

/** A command that makes an object from its flags, which the library does without creating it. */
export function generates(load: () => Promise<Generator>): Required<Pick<CommandSpec, 'generate' | 'run'>> {
  return {
    generate: load,
    run: async () => {
      const [{ generate }, { createGenerated }] = await Promise.all([
        load(),
        import('../commands/create/generated.js'),
      ]);
      return { run: async (context) => createGenerated(context, await generate(context)) };
    },
  };
}
