import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { refuseSwap } from './swap.js';

const header = 'Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n';

test.each([
  { text: header, refused: false },
  { text: `${header}/dev/zram0 partition 1 0 1\n`, refused: false },
  { text: `${header}/swapfile file 1048572 0 -2\n`, refused: true },
])('$text', async ({ text, refused }) => {
  const file = join(await temporaryFolder(), 'swaps');
  await writeFile(file, text);
  if (refused) await expect(refuseSwap(file)).rejects.toThrow('running with swap on is not supported');
  else await refuseSwap(file);
});
