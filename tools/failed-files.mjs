import { fileURLToPath } from 'node:url';

/** The test files that failed in the last run, one a line. An empty line stands for an error that belongs to no file. */
export const failedFilesPath = fileURLToPath(new URL('../node_modules/.vitest/failed-files.txt', import.meta.url));
