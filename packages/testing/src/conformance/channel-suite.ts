import type { Channel } from '@coracle/apimachinery';
import { describe, expect, test, vi } from 'vitest';

/** Two ends of one open channel: what one sends, the other receives. */
export interface ChannelHarness extends AsyncDisposable {
  readonly near: Channel;
  readonly far: Channel;
}

/** Machines are busy: allow time for messages over sockets. */
const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 15_000 });

const bytes = (text: string) => new TextEncoder().encode(text);

function listen(channel: Channel): { text(): string } {
  let output = '';
  channel.onMessage((message) => {
    output += new TextDecoder().decode(message);
  });
  return { text: () => output };
}

/**
 * Requirements on every channel. Message boundaries are not compared, because some channels carry a stream of bytes.
 */
export function describeChannel(name: string, open: () => Promise<ChannelHarness>): void {
  describe(`channel contract: ${name}`, () => {
    test('carries bytes both ways, in order', async () => {
      await using harness = await open();
      const [near, far] = [listen(harness.near), listen(harness.far)];
      for (let i = 0; i < 50; i++) harness.near.send(bytes(`${i},`));
      harness.far.send(bytes('back'));
      await waitFor(() => expect(far.text()).toBe(Array.from({ length: 50 }, (_, i) => `${i},`).join('')));
      await waitFor(() => expect(near.text()).toBe('back'));
    });

    test('buffers data until there is a listener', async () => {
      await using harness = await open();
      const { near, far } = harness;
      near.send(bytes('early '));
      const answer = listen(near);
      far.send(bytes('seen'));
      await waitFor(() => expect(answer.text()).toBe('seen'));
      const received = listen(far);
      near.send(bytes('late'));
      await waitFor(() => expect(received.text()).toBe('early late'));
    });

    test('a large message arrives complete', async () => {
      await using harness = await open();
      const received = listen(harness.far);
      harness.near.send(bytes('x'.repeat(1_000_000)));
      await waitFor(() => expect(received.text().length).toBe(1_000_000));
    });

    test.each(['near', 'far'] as const)('both ends hear once that the %s end closed', async (side) => {
      await using harness = await open();
      const closed: string[] = [];
      harness.near.onClose(() => closed.push('near'));
      harness.far.onClose(() => closed.push('far'));
      harness[side][Symbol.dispose]();
      harness[side][Symbol.dispose]();
      await waitFor(() => expect(closed.sort()).toEqual(['far', 'near']));
    });

    test('a listener that is added after the end is notified of it, and sending then has no effect', async () => {
      await using harness = await open();
      const { near, far } = harness;
      let isClosed = false;
      far.onClose(() => {
        isClosed = true;
      });
      near[Symbol.dispose]();
      await waitFor(() => expect(isClosed).toBe(true));
      const late = vi.fn();
      near.onClose(late);
      await waitFor(() => expect(late).toHaveBeenCalledTimes(1));
      expect(() => near.send(bytes('too late'))).not.toThrow();
    });
  });
}
