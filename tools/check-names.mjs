#!/usr/bin/env node
// Fails if two exported classes have the same name: a reader who searches for a class must find one. Classes without an
// export are exempt, and so are interfaces, which name roles.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.ts', '*.tsx'], { encoding: 'utf8' });
const files = listed
  .split('\n')
  .filter((file) => /^(packages|apps|test)\//.test(file) && !file.includes('/generated/'));
const declaration = /^export (?:abstract )?class (\w+)/gm;

/** Name → the files that declare such a class. */
const classes = new Map();
for (const file of files) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    // It is deleted, and git has not recorded that yet.
    continue;
  }
  for (const [, name] of text.matchAll(declaration)) classes.set(name, [...(classes.get(name) ?? []), file]);
}

const problems = [...classes].filter(([, places]) => places.length > 1);
for (const [name, places] of problems) console.error(`the class ${name} is exported by ${places.join(' and by ')}`);
if (problems.length > 0) process.exit(1);
