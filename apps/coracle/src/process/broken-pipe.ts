/** The exit code of a shell for a program that SIGPIPE has terminated: 128 and the number of the signal. */
const brokenPipeCode = 141;

/**
 * Exits silently when the reader of the output is gone, as `head` after some lines: Node.js ignores SIGPIPE, and would
 * print the error of the write with its stack.
 */
export function endOnBrokenPipe(streams: readonly NodeJS.WritableStream[] = [process.stdout, process.stderr]): void {
  for (const stream of streams)
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      process.exit(brokenPipeCode);
    });
}
