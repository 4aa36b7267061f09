#!/usr/bin/env node
// kubectl starts for every command: nothing of the rest is loaded for it.
if (process.argv[2] === 'kubectl') await import('./kubectl-main.js');
else {
  const { runMain } = await import('./run-main.js');
  await runMain();
}

export {};
