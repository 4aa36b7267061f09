import { expect, test } from 'vitest';
import { preloadsCode } from './runtime-threads.js';

test.each([
  { execArgv: [], preloads: false },
  { execArgv: ['--max-old-space-size=4096', '--inspect'], preloads: false },
  { execArgv: ['-r', './hook.cjs'], preloads: true },
  { execArgv: ['--require=./hook.cjs'], preloads: true },
  { execArgv: ['--import', 'tsx'], preloads: true },
  { execArgv: [], nodeOptions: '--max-old-space-size=4096', preloads: false },
  { execArgv: [], nodeOptions: '--enable-source-maps --import=tsx', preloads: true },
  { execArgv: [], nodeOptions: '--require "/a b/hook.cjs"', preloads: true },
  { execArgv: [], nodeOptions: '--experimental-loader ./loader.mjs', preloads: true },
  { execArgv: ['--report-on-signal'], preloads: false },
])('Node.js with $execArgv and NODE_OPTIONS=$nodeOptions runs other code first: $preloads', (row) => {
  expect(preloadsCode(row.execArgv, row.nodeOptions)).toBe(row.preloads);
});
