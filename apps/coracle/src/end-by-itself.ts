/** How long what has been stopped may take to close its last sockets and timers. */
const patienceMs = 2_000;

/**
 * Lets the process end with this code, by itself: nothing is left that keeps it. Should something be, it is a defect:
 * the process ends all the same after a while, and says what kept it.
 */
export function endByItself(exitCode: number): void {
  process.exitCode = exitCode;
  const timer = setTimeout(() => {
    const resources = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(`coracle: ended with resources still open: ${resources}\n`);
    process.exit(exitCode);
  }, patienceMs);
  timer.unref();
}
