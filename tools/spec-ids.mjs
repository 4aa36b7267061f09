#!/usr/bin/env node
// Writes docs/spec-ids.md: what each id in a test's name stands for, from the names of the tests, and where it is tested.
// With --check it fails when the file is out of date.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'docs/spec-ids.md');
/** The title of a test or a group of tests that begins with ids. */
const title =
  /\b(?:test|it|describe)\b[^\n]*?(?:\(|,\s*)\s*(['"`])((?:[A-Z]{2,}\d?-\d+[a-z]? )+)((?:(?!\1)[^\\]|\\.)*)\1/g;

/** id → { text, files } */
const ids = new Map();
for (const folder of ['packages', 'apps', 'test']) for (const file of testsIn(join(root, folder))) collect(file);

const text = render();
if (process.argv.includes('--check')) {
  const written = readFileSync(target, 'utf8');
  if (written !== text) {
    console.error('docs/spec-ids.md is out of date: run node tools/spec-ids.mjs');
    process.exit(1);
  }
  console.log(`${ids.size} ids resolve`);
} else writeFileSync(target, text);

function testsIn(folder) {
  return readdirSync(folder).flatMap((name) => {
    if (name === 'node_modules' || name === 'dist') return [];
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return testsIn(path);
    return name.endsWith('.test.ts') ? [path] : [];
  });
}

function collect(file) {
  for (const [, , found, words] of readFileSync(file, 'utf8').matchAll(title)) {
    for (const id of found.trim().split(' ')) {
      const entry = ids.get(id) ?? { text: words.replaceAll(/\$\{[^}]*\}|%[a-z]|\|/g, '…').trim(), files: new Set() };
      entry.files.add(relative(root, file));
      ids.set(id, entry);
    }
  }
}

function render() {
  const rows = [...ids].sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }));
  return [
    '# Ids in the names of tests',
    '',
    'Tests name the behaviours of Kubernetes that they hold by ids. What each stands for, in the words of the test that has it, and where it is tested:',
    '',
    '| id | behaviour | test |',
    '|---|---|---|',
    ...rows.map(
      ([id, { text: words, files }]) =>
        `| ${id} | ${words} | ${[...files]
          .sort()
          .map((file) => `[${file.split('/').pop()}](../${file})`)
          .join(', ')} |`,
    ),
    '',
  ].join('\n');
}
