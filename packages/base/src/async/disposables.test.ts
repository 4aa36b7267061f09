import { describe, expect, test } from 'vitest';
import { DisposableStack, disposable } from './disposables.js';

describe('DisposableStack', () => {
  test('ends everything in reverse order, one after the other', async () => {
    const ended: string[] = [];
    const stack = new DisposableStack();
    stack.use({ [Symbol.dispose]: () => void ended.push('first') });
    stack.use({
      [Symbol.asyncDispose]: async () => {
        await Promise.resolve();
        ended.push('second');
      },
    });
    stack.defer(() => void ended.push('third'));
    await stack[Symbol.asyncDispose]();
    expect(ended).toEqual(['third', 'second', 'first']);
  });

  test('ends the rest when one fails, and throws the first failure', async () => {
    const ended: string[] = [];
    const stack = new DisposableStack();
    stack.defer(() => void ended.push('a'));
    stack.defer(() => Promise.reject(new Error('later')));
    stack.defer(() => {
      throw new Error('sooner');
    });
    await expect(stack[Symbol.asyncDispose]()).rejects.toThrow('sooner');
    expect(ended).toEqual(['a']);
  });

  test('disposes a resource that is a function, and does not call it', async () => {
    const happened: string[] = [];
    const stack = new DisposableStack();
    const call = () => void happened.push('called');
    stack.use(Object.assign(call, { [Symbol.dispose]: () => void happened.push('disposed') }));
    await stack[Symbol.asyncDispose]();
    expect(happened).toEqual(['disposed']);
  });

  test('disposes each once', async () => {
    let count = 0;
    const stack = new DisposableStack();
    stack.defer(() => void count++);
    await stack[Symbol.asyncDispose]();
    await stack[Symbol.asyncDispose]();
    expect(count).toBe(1);
  });

  test('returns its argument', () => {
    const resource = disposable(() => {});
    expect(new DisposableStack().use(resource)).toBe(resource);
  });
});

test('a disposable ends once for any number of calls', () => {
  let count = 0;
  const once = disposable(() => void count++);
  once[Symbol.dispose]();
  once[Symbol.dispose]();
  expect(count).toBe(1);
});
