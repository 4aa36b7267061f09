#!/usr/bin/env node
// Fails if ARCHITECTURE.md is behind the tree: a path in it that is no file, a package or an app that its table does
// not list, or one that it lists and that does not exist. Also if the README of a package does not mention one of its
// folders, unless it describes them by a pattern, such as `<name>/`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const text = readFileSync('ARCHITECTURE.md', 'utf8');
const problems = [];

/** Paths are written from the root or from the folder of packages. */
const paths = [...text.matchAll(/`([\w.-]+(?:\/[\w.-]+)+)`/g)].map(([, path]) => path);
for (const path of new Set(paths))
  if (![path, `packages/${path}`].some((file) => existsSync(file))) problems.push(`${path} is not in the tree`);

const table = text.slice(text.indexOf('## Packages'), text.indexOf('## Seams'));
const listed = new Set(
  [...table.matchAll(/^\| ((?:`[\w/-]+`(?:, )?)+) \|/gm)].flatMap(([, names]) => names.match(/[\w/-]+/g)),
);
const present = [
  ...readdirSync('packages').filter((name) => existsSync(`packages/${name}/package.json`)),
  ...readdirSync('apps')
    .filter((name) => existsSync(`apps/${name}/package.json`))
    .map((name) => `apps/${name}`),
];
for (const name of present) if (!listed.has(name)) problems.push(`the table of packages does not list ${name}`);
for (const name of listed)
  if (!present.includes(name)) problems.push(`the table of packages lists ${name}, which does not exist`);

for (const name of present) {
  const folder = name.includes('/') ? name : `packages/${name}`;
  const readme = readFileSync(`${folder}/README.md`, 'utf8');
  if (/^<\w+>\//m.test(readme)) continue;
  for (const entry of readdirSync(`${folder}/src`, { withFileTypes: true }))
    if (entry.isDirectory() && !readme.includes(entry.name))
      problems.push(`${folder}/README.md does not mention the folder ${entry.name}`);
}

for (const problem of problems) console.error(`ARCHITECTURE.md and READMEs: ${problem}`);
if (problems.length === 0)
  console.log(
    `ARCHITECTURE.md and READMEs: ${new Set(paths).size} paths and ${present.length} packages are as in the tree`,
  );
process.exit(problems.length === 0 ? 0 : 1);
