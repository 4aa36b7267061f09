import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { operatorFiles } from '../operator-template/operator-files.js';
import { operatorNames } from '../operator-template/operator-names.js';
import { requiredCoracle } from '../operator-template/required-coracle.js';

interface Flags {
  readonly group: string;
  readonly dir?: string;
}

export function createCommand(): Command {
  return new Command('create').description('create a project from a template').addCommand(createOperatorCommand());
}

function createOperatorCommand(): Command {
  return new Command('operator')
    .exitOverride()
    .description('create a small operator project with tests')
    .argument('<name>', 'name of the operator, such as guest-book: lower-case letters, digits and dashes')
    .option('--group <domain>', 'API group of its resource', 'example.org')
    .option('--dir <folder>', 'directory of the project (default: ./NAME)')
    .action(async (name: string, { group, dir }: Flags) => {
      const folder = resolve(dir ?? name);
      const files = await writeOperator(folder, name, group);
      process.stdout.write(`${files.map((file) => `created ${join(folder, file)}\n`).join('')}\n`);
      process.stdout.write(`Next: cd ${dir ?? name} && npm install && npm test\n`);
    });
}

/** Writes the project and returns its files. It writes only into a new or empty folder. */
export async function writeOperator(folder: string, name: string, group: string): Promise<string[]> {
  const files = operatorFiles(operatorNames(name, group), await requiredCoracle(folder));
  const there = await readdir(folder).catch(() => []);
  if (there.length > 0) throw new Error(`${folder} is not empty`);
  for (const [path, text] of Object.entries(files)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return Object.keys(files);
}
