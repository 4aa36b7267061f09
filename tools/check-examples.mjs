#!/usr/bin/env node
// Fails when an example of the documents for users does not fit the types of the package, or when a project of examples/
// needs types that its package.json does not list: it must build outside of this repository too.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
/** Whether the blocks of a page stand for themselves, or go on where the one before ended. */
const pages = {
  'README.md': 'alone',
  'apps/coracle/README.md': 'alone',
  'docs/client.md': 'alone',
  'docs/controller-runtime.md': 'alone',
  'docs/kubectl-library.md': 'in a row',
  'docs/testing-your-controller.md': 'in a row',
};
/** What an example may use without saying where it comes from. */
const ambient = `import type * as coracle from 'coracle';
declare global {
  const cluster: coracle.Cluster;
  const client: coracle.Client;
  const clock: coracle.VirtualClock;
  const random: coracle.Random;
  const logger: coracle.Logger;
  const deployment: coracle.Deployment;
  const session: { readonly token: string };
}
`;

const missing = missingTypes();
for (const problem of missing) console.error(problem);

// Inside of the repository, so that packages are found.
const folder = mkdtempSync(join(root, 'node_modules/.examples-'));
try {
  const modules = Object.entries(pages).flatMap(([page, order]) => modulesOf(page, order));
  for (const { name, code } of modules) writeFileSync(join(folder, name), `${code}export {};\n`);
  writeFileSync(join(folder, 'ambient.d.ts'), ambient);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings()));
  const { status, stdout } = spawnSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  process.stderr.write(String(stdout).replaceAll(`${relative(process.cwd(), folder)}/`, ''));
  if (status === 0) console.log(`${modules.length} examples fit the types`);
  process.exitCode = missing.length > 0 ? 1 : (status ?? 1);
} finally {
  rmSync(folder, { recursive: true });
}

function missingTypes() {
  const projects = readdirSync(join(root, 'examples'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return projects.flatMap(({ name }) => {
    const read = (file) => JSON.parse(readFileSync(join(root, 'examples', name, file), 'utf8'));
    const { devDependencies } = read('package.json');
    const needed = read('tsconfig.json').compilerOptions.types.map((type) => `@types/${type}`);
    return needed
      .filter((type) => !(type in devDependencies))
      .map((type) => `examples/${name}: package.json does not list ${type}`);
  });
}

/** Named after the page and the line, which is how an error says where it is. */
function modulesOf(page, order) {
  const text = readFileSync(join(root, page), 'utf8');
  const blocks = [...text.matchAll(/^```(?:ts|js)\b.*\n([\s\S]*?)^```$/gm)].map(({ index, 1: code }) => ({
    name: `${page.replace(/\W/g, '-')}-line-${text.slice(0, index).split('\n').length}.ts`,
    code,
  }));
  const [first] = blocks;
  return order === 'alone' || !first ? blocks : [{ ...first, code: blocks.map(({ code }) => code).join('') }];
}

function settings() {
  const sources = join(root, 'apps/coracle/src');
  return {
    extends: join(root, 'tsconfig.base.json'),
    compilerOptions: {
      lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
      types: ['node'],
      noUnusedLocals: false,
      paths: {
        coracle: [join(sources, 'library.ts')],
        'coracle/browser': [join(sources, 'browser.ts')],
        'coracle/kubectl': [join(sources, 'kubectl-library.ts')],
      },
    },
    include: ['*.ts'],
  };
}
