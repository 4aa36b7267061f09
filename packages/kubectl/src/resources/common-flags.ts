import { CommandError } from '../command/command-error.js';
import type { Context } from '../command/context.js';
import { logWarning } from '../klog.js';
import type { FindOptions } from './find-resources.js';
import type { WriteParameters } from './request-helper.js';

export type DryRun = 'none' | 'client' | 'server';

/** The mode of `--dry-run`. */
export function dryRunOf({ flags, host }: Context): DryRun {
  const value = flags.string('dry-run');
  switch (value) {
    case 'client':
    case 'server':
    case 'none':
      return value;
    case 'unchanged':
      logWarning(host, 'helpers.go:719', '--dry-run is deprecated and can be replaced with --dry-run=client.');
      return 'client';
    default:
      if (/^(true|t|1)$/i.test(value)) {
        logWarning(
          host,
          'helpers.go:706',
          `--dry-run=${value} is deprecated (boolean value) and can be replaced with --dry-run=client.`,
        );
        return 'client';
      }
      if (/^(false|f|0)$/i.test(value)) return 'none';
      throw new CommandError(`Invalid dry-run value (${value}). Must be "none", "server", or "client".`);
  }
}

/** The field validation of `--validate`. */
export function validationOf({ flags }: Context): 'Strict' | 'Warn' | 'Ignore' {
  const value = flags.has('validate') ? flags.string('validate') : 'strict';
  switch (value.toLowerCase()) {
    case 'strict':
    case 'true':
      return 'Strict';
    case 'warn':
      return 'Warn';
    case 'ignore':
    case 'false':
      return 'Ignore';
    default:
      throw new CommandError(
        `invalid - validate option ${JSON.stringify(value)}; must be one of: strict (or true), warn, ignore (or false)`,
      );
  }
}

export function fieldManagerOf({ flags }: Context): string {
  return flags.has('field-manager') ? flags.string('field-manager') : '';
}

/** The parameters of a write that the flags request. */
export function writeParameters(context: Context, dryRun: DryRun): WriteParameters {
  const subresource = context.flags.has('subresource') ? context.flags.string('subresource') : '';
  return {
    fieldManager: fieldManagerOf(context),
    ...(dryRun === 'server' && { dryRun: true }),
    ...(subresource && { subresource }),
  };
}

/** Parses the arguments, files and selectors of a command. */
export async function findOptions(context: Context, more: Partial<FindOptions> = {}): Promise<FindOptions> {
  const { flags, args, factory } = context;
  const { namespace, enforced } = await factory.namespace();
  const text = (name: string) => (flags.has(name) ? flags.string(name) : '');
  const bool = (name: string) => flags.has(name) && flags.bool(name);
  return {
    args,
    filenames: flags.has('filename') ? flags.strings('filename') : [],
    kustomize: text('kustomize'),
    recursive: bool('recursive'),
    namespace,
    enforceNamespace: enforced,
    allNamespaces: bool('all-namespaces'),
    labelSelector: text('selector'),
    fieldSelector: text('field-selector'),
    all: bool('all'),
    local: bool('local'),
    ...more,
  };
}

/** Commands that work on files alone say so when there are none. */
export function requireFiles({ flags }: Context): void {
  if (flags.strings('filename').length > 0 && flags.string('kustomize') !== '')
    throw new CommandError('only one of -f or -k can be specified');
  if (flags.strings('filename').length === 0 && flags.string('kustomize') === '')
    throw new CommandError('must specify one of -f and -k');
}
