import { CommandError } from '../command/command-error.js';
import type { FlagValues } from '../command/flag-values.js';
import type { Host } from '../host.js';

const goProfiles = ['goroutine', 'threadcreate', 'block', 'mutex'];

/** Runs a command, with the profile that `--profile` requests. It is written however the command ends. */
export async function profiled(host: Host, flags: FlagValues, action: () => Promise<void>): Promise<void> {
  const kind = flags.string('profile');
  // `debug` has a flag of this name that means something else.
  const isOurs = flags.spec('profile')?.defaultValue === 'none';
  if (kind === 'none' || !isOurs) return action();
  if (goProfiles.includes(kind)) throw new CommandError(`profile '${kind}' is one of Go programs: use cpu or heap`);
  if (kind !== 'cpu' && kind !== 'heap') throw new CommandError(`unknown profile '${kind}'`);
  if (!host.profile || !host.files) throw new CommandError('there are no profiles on this platform');
  const finish = await host.profile(kind);
  try {
    await action();
  } finally {
    await host.files.write(flags.string('profile-output'), await finish());
  }
}
