// Runs the test files that failed in the last run once more, by themselves: real programs on a busy machine miss a
// deadline now and then. A broken tree stays broken: many failed files, or an error outside of all files, fail at once.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { failedFilesPath } from './failed-files.mjs';

const mostFiles = 5;

const files = existsSync(failedFilesPath) ? readFileSync(failedFilesPath, 'utf8').split('\n') : [];
if (files.length === 0 || files.length > mostFiles || files.includes('')) {
  console.error('not running failed tests again: none are named, or too many failed');
  process.exit(1);
}
const { status } = spawnSync('npx', ['vitest', 'run', '--no-file-parallelism', ...process.argv.slice(2), ...files], {
  stdio: 'inherit',
});
process.exit(status ?? 1);
