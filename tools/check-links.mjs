#!/usr/bin/env node
// Fails on a relative link of a Markdown file that leads to no file, or to no heading of one.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '*.md'], { encoding: 'utf8' });
const documents = listed.split('\n').filter((file) => file !== '' && existsSync(file));
const broken = documents.flatMap((file) => linksOf(file).filter((link) => !leadsSomewhere(link)));

for (const { file, target } of broken) console.error(`${file}: ${target} leads nowhere`);
console.log(broken.length === 0 ? `links hold in ${documents.length} documents` : `${broken.length} broken links`);
process.exit(broken.length === 0 ? 0 : 1);

function linksOf(file) {
  const text = proseOf(file).replace(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target)).map((target) => ({ file, target }));
}

function leadsSomewhere({ file, target }) {
  const [path, heading] = target.split('#');
  const destination = path === '' ? file : normalize(join(dirname(file), path));
  if (!existsSync(destination)) return false;
  return heading === undefined || !destination.endsWith('.md') || headingsOf(destination).has(heading);
}

/** The anchors that a Markdown renderer generates for the headings of a file. */
function headingsOf(file) {
  const titles = [...proseOf(file).matchAll(/^#+ +(.+)$/gm)].map(([, title]) => title.toLowerCase());
  return new Set(titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

function proseOf(file) {
  return readFileSync(file, 'utf8').replace(/^```[\s\S]*?^```/gm, '');
}
