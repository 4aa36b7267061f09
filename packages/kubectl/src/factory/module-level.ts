import { CommandError } from '../command/command-error.js';

/** The log level that `--vmodule` has for a file: `pattern=N,…`, where the last pattern that fits counts; 0 for none. */
export function moduleLevel(flag: string, file: string): number {
  let level = 0;
  for (const part of flag.split(',').filter(Boolean)) {
    const [, pattern = '', number = ''] = /^([^=]+)=(\d+)$/.exec(part) ?? [];
    if (pattern === '')
      throw new CommandError(
        `invalid argument ${JSON.stringify(flag)} for "--vmodule" flag: syntax error: expect comma-separated list of filename=N`,
      );
    const expression = pattern
      .replace(/[.+^${}()|\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    if (new RegExp(`^${expression}$`).test(file)) level = Number(number);
  }
  return level;
}
