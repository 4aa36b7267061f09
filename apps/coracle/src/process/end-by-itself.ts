import { Socket } from 'node:net';

/** Time for stopped components to close their last sockets and timers. */
const patienceMs = 2_000;

/**
 * Sets the exit code and lets the process end when no resource keeps it alive. If one still does after a while, that is
 * a defect: the process exits and reports it.
 */
export function endByItself(exitCode: number): void {
  process.exitCode = exitCode;
  const timer = setTimeout(() => {
    const resources = openResources(process.getActiveResourcesInfo(), [process.stdout, process.stderr]).join(', ');
    process.stderr.write(`coracle: ended with resources still open: ${resources}\n`);
    process.exit(exitCode);
  }, patienceMs);
  timer.unref();
}

/** Without the process's own output: a pipe or a terminal is listed as a resource, and keeps no process. */
export function openResources(listed: readonly string[], outputs: readonly { readonly isTTY?: boolean }[]): string[] {
  const rest = [...listed];
  for (const output of outputs) {
    const at = output instanceof Socket ? rest.indexOf(output.isTTY ? 'TTYWrap' : 'PipeWrap') : -1;
    if (at >= 0) rest.splice(at, 1);
  }
  return rest;
}
