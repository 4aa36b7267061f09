/** EIO and ENOSPC as LMDB reports them: as numbers, unlike Node.js. */
const codes: ReadonlySet<unknown> = new Set([5, 28]);

/** The lmdb package prints a stack for each write that fails on a full disk. The store reports that itself. */
export function omitFailedWrites(target: Pick<Console, 'error'> = console): void {
  const print = target.error.bind(target);
  target.error = (...values: unknown[]) => {
    const [first] = values;
    if (!(first instanceof Error && codes.has(Reflect.get(first, 'code')))) print(...values);
  };
}
