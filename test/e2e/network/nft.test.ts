import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { nftFilter } from '@coracle/platform-nodejs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canMakeMachines, Machine } from './machines.js';

const table = 'table ip t { map m { type ipv4_addr : ipv4_addr; }\n}\n';
const add = (n: number) => `add element ip t m { 192.0.2.${n} : 198.51.100.${n} }\n`;
const remove = (n: number) => `delete element ip t m { 192.0.2.${n} }\n`;

describe.skipIf(!canMakeMachines)('transactions of nft', { timeout: 60_000 }, () => {
  let machine: Machine;
  beforeAll(async () => {
    machine = await Machine.make('nft');
  }, 60_000);
  afterAll(() => machine?.[Symbol.asyncDispose]());

  const elements = async () =>
    [...(await machine.read('nft', 'list', 'map', 'ip', 't', 'm')).matchAll(/192\.0\.2\.(\d+)/g)]
      .map(([, n]) => n)
      .sort();
  /** The `nft` that stays, by the network namespace that it is in. */
  function interactive(): number[] {
    const inside = execFileSync('ip', ['netns', 'pids', machine.name], { encoding: 'utf8' })
      .split('\n')
      .filter(Boolean);
    return inside.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('nft\0-i')).map(Number);
  }

  test('one process for all, each applied completely or not at all, in order, with its own errors', async () => {
    using filter = nftFilter({ netns: machine.netns });
    await filter.apply(table + add(1));
    const several = [
      filter.apply(add(2) + add(3)),
      filter.apply(add(4) + remove(99)),
      filter.apply('nonsense\n'),
      filter.apply(remove(3) + add(5)),
    ];
    const outcomes = await Promise.allSettled(several);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
    expect(String((outcomes[1] as PromiseRejectedResult).reason)).toContain('No such file or directory');
    expect(await elements()).toEqual(['1', '2', '5']);
    expect(interactive()).toHaveLength(1);
  });

  test('a process that is killed is replaced, and a large transaction is applied too', async () => {
    using filter = nftFilter({ netns: machine.netns });
    await filter.apply(add(7));
    for (const pid of interactive()) process.kill(pid, 'SIGKILL');
    // The transaction that detects it may fail: its caller cannot know, and writes everything again.
    await filter.apply(add(8)).catch(() => undefined);
    await filter.apply(`delete table ip t\n${table}${add(9)}${`# ${'x'.repeat(100)}\n`.repeat(1_000)}${add(10)}`);
    await filter.apply(remove(9));
    expect(await elements()).toEqual(['10']);
    expect(readdirSync('/').filter((name) => name === '.nft.history')).toEqual([]);
  });
});
