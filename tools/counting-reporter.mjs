/** Ends a run with the plain line that people and CI read, and names what was skipped. */
export default class CountingReporter {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0 };
    const skipped = [];
    for (const module of modules) {
      if (module.state() === 'failed' && module.errors().length > 0) counts.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed') counts.passed++;
        else if (state === 'failed') counts.failed++;
        else {
          counts.skipped++;
          skipped.push(`${module.relativeModuleId}: ${test.fullName}`);
        }
      }
    }
    for (const name of skipped) console.log(`skipped: ${name}`);
    console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
  }
}
