#!/usr/bin/env node
// Fails on a source file of more than 500 lines of code (comments and blank lines not counted; tests and generated files exempt).
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const limit = 500;
const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'packages', 'apps', 'tools'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !/generated|\.test\.|\.bench\./.test(file));
const counts = files.map((file) => ({ file, lines: codeLines(file) })).sort((a, b) => b.lines - a.lines);
const tooLong = counts.filter(({ lines }) => lines > limit);
for (const { file, lines } of tooLong) console.error(`${file}: ${lines} lines of code, over ${limit}`);
const median = counts[Math.floor(counts.length / 2)]?.lines ?? 0;
console.log(`${counts.length} files, median ${median} lines, longest ${counts[0]?.lines ?? 0}`);
process.exit(tooLong.length === 0 ? 0 : 1);

function codeLines(file) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch {
    return 0;
  }
  return text
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .filter((line) => !/^\s*(\/\/.*)?$/.test(line)).length;
}
