import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { failedFilesPath } from './failed-files.mjs';

/**
 * Ends a run with the plain line that people and CI read. Names what was skipped and what passed only when tried
 * again, and writes down which files failed, for `npm run test:failed`.
 */
export default class CountingReporter {
  onTestRunEnd(modules, unhandledErrors) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const failedFiles = new Set(unhandledErrors.map((error) => error['VITEST_TEST_PATH'] ?? ''));
    for (const module of modules) {
      if (module.state() === 'failed') failedFiles.add(module.moduleId);
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) this.#count(module, test, counts);
    }
    mkdirSync(dirname(failedFilesPath), { recursive: true });
    writeFileSync(failedFilesPath, [...failedFiles].join('\n'));
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }

  #count(module, test, counts) {
    const name = `${module.relativeModuleId}: ${test.fullName}`;
    const { state } = test.result();
    counts[state === 'passed' || state === 'failed' ? state : 'skipped']++;
    if (test.diagnostic()?.flaky) console.log(`passed when tried again: ${name}`);
    if (state === 'skipped') console.log(`skipped: ${name}`);
  }
}
