import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../temporary-folder.fixture.js';
import { requireSystemd } from './systemd.js';

test('the systemd cgroup driver needs systemd', async () => {
  const folder = await temporaryFolder();
  await requireSystemd(folder);
  await expect(requireSystemd(join(folder, 'absent'))).rejects.toThrow(
    'the cgroup driver is systemd, but systemd does not run on this machine',
  );
});
