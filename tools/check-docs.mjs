#!/usr/bin/env node
// Fails when a name that a package for users exports has no doc comment.
import { readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const packages = ['client', 'controller-runtime', 'platform-web', 'cluster'];
const problems = [];
let count = 0;

for (const name of packages) {
  const index = join(root, 'packages', name, 'src/index.ts');
  for (const [, names, path] of readFileSync(index, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)';/g)) {
    // What another package declares is its to document.
    if (!path.startsWith('.')) continue;
    const module = resolve(dirname(index), path.replace(/\.js$/, '.ts'));
    for (const exported of names.split(',').map(
      (one) =>
        one
          .trim()
          .replace(/^type /, '')
          .split(' as ')[0],
    )) {
      if (exported) check(exported, module);
    }
  }
}

for (const problem of problems) console.error(problem);
console.log(problems.length === 0 ? `${count} public names are documented` : `${problems.length} problems`);
process.exit(problems.length === 0 ? 0 : 1);

function check(name, module) {
  count++;
  const lines = readFileSync(module, 'utf8').split('\n');
  const declaration = new RegExp(
    `^export (?:abstract )?(?:async )?(?:class|interface|type|const|function\\*?) ${name.replaceAll('$', '\\$')}\\b`,
  );
  const at = lines.findIndex((line) => declaration.test(line));
  if (at < 0) problems.push(`${relative(root, module)}: ${name} is exported and declared elsewhere`);
  else if (!lineAbove(lines, at).endsWith('*/'))
    problems.push(`${relative(root, module)}:${at + 1}: ${name} has no doc comment`);
}

/** A linter directive may be between a comment and its declaration. */
function lineAbove(lines, at) {
  const above = lines[at - 1]?.trimEnd() ?? '';
  return above.startsWith('// biome-ignore') ? lineAbove(lines, at - 1) : above;
}
