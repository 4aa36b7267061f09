import { describe, expect, test } from 'vitest';
import type { Controller } from './controller.js';
import { allControllers } from './controllers.js';
import { controllerNamed, controllerProblems, selectControllers } from './select-controllers.js';

const fake = (name: string): Controller => ({ name, start: () => ({ async [Symbol.asyncDispose]() {} }) });
const some = ['serviceaccount-token-controller', 'deployment-controller', 'job-controller'].map(fake);

describe('KCM-36 which controllers run', () => {
  test.each<[string[], string[]]>([
    [['*'], ['serviceaccount-token-controller', 'deployment-controller', 'job-controller']],
    [
      ['*', '-job-controller'],
      ['serviceaccount-token-controller', 'deployment-controller'],
    ],
    [
      ['*', '-job'],
      ['serviceaccount-token-controller', 'deployment-controller'],
    ],
    [['deployment'], ['serviceaccount-token-controller', 'deployment-controller']],
    [
      ['*', 'bootstrapsigner', 'tokencleaner'],
      ['serviceaccount-token-controller', 'deployment-controller', 'job-controller'],
    ],
  ])('%j', (selectors, names) => {
    expect(selectControllers(some, selectors).map(({ name }) => name)).toEqual(names);
  });

  test('KCM-10 a name that no controller ever had is an error', () => {
    expect(controllerProblems(['*', '-garbagecollector', 'nodeipam', 'foo', '-bar'])).toEqual([
      '"foo" is not in the list of known controllers',
      '"bar" is not in the list of known controllers',
    ]);
  });

  test('KCM-33 every controller has a name, and no name is used twice', () => {
    const signToken = async () => 'token';
    const certificateSigner = { sign: async () => '' };
    const names = allControllers({ caCertificate: '', signToken, certificateSigner } as never).map(({ name }) => name);
    expect(names.filter((name) => controllerNamed(name) !== name)).toEqual([]);
    expect(new Set(names).size).toBe(names.length);
  });

  test('KCM-28 the controller that creates the tokens of the others starts first', () => {
    const [first] = allControllers({ caCertificate: '', signToken: (async () => 'token') as never });
    expect(first?.name).toBe('serviceaccount-token-controller');
  });
});
