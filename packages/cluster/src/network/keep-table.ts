import { type Clock, every, type Logger, type Millis, messageOf } from '@coracle/base';

export interface KeptTable {
  /** Named with its family: `inet filter`. */
  readonly table: string;
  readonly hasTable: (table: string) => Promise<boolean>;
  /** Writes it as it should be. */
  readonly write: () => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

const periodMs: Millis = 30_000;

/** Writes a table of the packet filter again if another program has flushed it, such as a restart of nftables. */
export function keepTable({ table, hasTable, write, clock, logger }: KeptTable): Disposable {
  let isBusy = false;
  const check = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      if (await hasTable(table)) return;
      logger.error('rules are missing from the kernel, writing them again', { table });
      await write();
    } catch (error) {
      logger.error('failed to write rules again', { table, error: messageOf(error) });
    } finally {
      isBusy = false;
    }
  };
  return every(clock, periodMs, () => void check());
}
