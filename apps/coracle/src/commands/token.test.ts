import { expect, test } from 'vitest';
import { loopbackNote } from './token.js';

test.each(['https://127.0.0.1:6443', 'https://127.0.1.1:6443', 'https://[::1]:6443', 'https://localhost:6443'])(
  'a join command that leads to %s is of no use on other machines',
  (server) => {
    expect(loopbackNote(server)).toContain(`cannot reach ${new URL(server).host}`);
  },
);

test.each(['https://192.0.2.1:6443', 'https://[fd00::1]:6443', 'https://localhost.example.com:6443'])(
  'a join command that leads to %s needs no note',
  (server) => expect(loopbackNote(server)).toBeUndefined(),
);
