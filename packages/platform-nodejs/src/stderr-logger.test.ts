import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { checkStderr, createStderrLogger } from './stderr-logger.js';

describe('a logger to standard error', () => {
  let lines: string[] = [];
  beforeEach(() => {
    lines = [];
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  });
  afterEach(() => vi.restoreAllMocks());

  /** What was written, with the times taken out: they are real. */
  const written = () => lines.map((line) => line.replace(/\d{4}-\d{2}-\d{2}T[\d:.]+Z/, 'TIME'));

  test.each([
    { level: 'error', lines: ['E TIME bad\n'] },
    { level: 'info', lines: ['E TIME bad\n', 'I TIME news\n'] },
    { level: 'debug', lines: ['E TIME bad\n', 'I TIME news\n', 'D TIME detail\n'] },
  ] as const)('writes what matters at the level $level', ({ level, lines }) => {
    const logger = createStderrLogger({ level });
    logger.error('bad');
    logger.info('news');
    logger.debug('detail');
    expect(written()).toEqual(lines);
  });

  test('writes fields in one line, whatever is in them', () => {
    createStderrLogger({ level: 'info' })
      .with({ component: 'x' })
      .info('seen', { text: 'a "b"\nc', count: 3, object: { a: 1 }, nothing: undefined, component: 'y' });
    expect(written()).toEqual([
      'I TIME seen component="y" text="a \\"b\\"\\nc" count=3 object={"a":1} nothing=undefined\n',
    ]);
  });

  test('writes errors with their stack', () => {
    createStderrLogger({ level: 'error' }).error('bad', { error: new Error('why') });
    expect(written()[0]).toMatch(/^E TIME bad error="Error: why\\n {4}at .*"\n$/);
  });
});

describe('standard error', () => {
  test.each([
    { name: 'is fine', stream: { writable: true, writableLength: 0 }, problem: undefined },
    { name: 'is closed', stream: { writable: false, writableLength: 0 }, problem: 'standard error is closed' },
    {
      name: 'is not read',
      stream: { writable: true, writableLength: 2 ** 21 },
      problem: 'standard error is not read',
    },
  ])('$name', ({ stream, problem }) => {
    if (problem === undefined) expect(() => checkStderr(stream)).not.toThrow();
    else expect(() => checkStderr(stream)).toThrow(problem);
  });
});
