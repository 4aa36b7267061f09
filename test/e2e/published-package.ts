import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** What the published package leaves outside, and what a project of its users has beside it. */
const beside = ['lmdb', 'typescript', 'vitest', '@types/node'];

/**
 * A folder in which the published package is installed: packed from the build, and unpacked. Its dependencies are those
 * of this repository, so that nothing is downloaded.
 */
export class PublishedPackage implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'coracle-published-'));

  constructor() {
    execFileSync(process.execPath, [join(root, 'tools/build-types.mjs')], { stdio: 'inherit' });
    const pack = ['pack', '--ignore-scripts', '--silent', '--pack-destination', this.folder];
    const archive = execFileSync('npm', pack, { cwd: join(root, 'apps/coracle'), encoding: 'utf8' }).trim();
    const installed = join(this.folder, 'node_modules/coracle');
    mkdirSync(installed, { recursive: true });
    execFileSync('tar', ['-xzf', join(this.folder, archive), '--strip-components=1', '-C', installed]);
    mkdirSync(join(this.folder, 'node_modules/@types'));
    for (const name of beside) symlinkSync(join(root, 'node_modules', name), join(this.folder, 'node_modules', name));
    mkdirSync(join(this.folder, 'node_modules/.bin'));
    symlinkSync('../typescript/bin/tsc', join(this.folder, 'node_modules/.bin/tsc'));
    symlinkSync('../vitest/vitest.mjs', join(this.folder, 'node_modules/.bin/vitest'));
    symlinkSync('../coracle/dist/coracle.js', join(this.folder, 'node_modules/.bin/coracle'));
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
