import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { runCli } from './cli.js';

let output = '';
beforeEach(() => {
  output = '';
  const note = (text: unknown) => {
    output += String(text);
    return true;
  };
  vi.spyOn(process.stdout, 'write').mockImplementation(note);
  vi.spyOn(process.stderr, 'write').mockImplementation(note);
});
afterEach(() => vi.restoreAllMocks());

// The first command loads the modules of the server, which takes its time on a busy machine.
describe('the command line', { timeout: 120_000 }, () => {
  test('START-09 FLAG-34 reports the version and does nothing else', async () => {
    expect(await runCli(['apiserver', '--version'])).toBe(0);
    expect(output).toMatch(/^Kubernetes v1\.36\.\d+\n$/);
  });

  test('reports its own version, and lists kubectl among its commands', async () => {
    expect(await runCli(['--version'])).toBe(0);
    expect(output).toMatch(/^coracle \d.*Kubernetes v1\.36/);
    expect(await runCli(['--help'])).toBe(0);
    expect(output).toMatch(/^ {2}kubectl +kubectl v1\.36/m);
  });

  test.each([
    ['a flag that there is not', ['apiserver', '--nothing'], /^error: unknown option '--nothing'/],
    [
      'FLAG-04 a flag of old releases',
      ['apiserver', '--insecure-port=8080'],
      /^error: unknown option '--insecure-port/,
    ],
    ['a value that is none', ['up', '--nodes=many'], /^error: .* it must be a whole number/],
    ['FLAG-03 a port beyond all', ['apiserver', '--secure-port=65536'], /it must be between 0 and 65535/],
    [
      'a configuration of the kubelet that is not there',
      ['up', '--kubelet-config=/nowhere.yaml'],
      /^coracle: failed to load kubelet config file, path: \/nowhere.yaml, error: ENOENT/m,
    ],
    [
      'a bootstrap token that is none, before anything else',
      ['join', '--server=https://127.0.0.1:1', '--token=bad'],
      /^coracle: the bootstrap token "bad" is not of the form/,
    ],
    ['START-08 a flag with underscores', ['apiserver', '--secure_port=x'], /^error: option '--secure-port <port>'/],
  ])('START-10 refuses %s with exit code 1', async (_name, args, message) => {
    expect(await runCli(args)).toBe(1);
    expect(output).toMatch(message);
  });
});
