import { FieldPath, formatFieldError } from '@coracle/apimachinery';
import { describe, expect, test } from 'vitest';
import { checkWebhookClient } from './webhook-client.js';

const problemsOf = (client: Parameters<typeof checkWebhookClient>[1]) =>
  checkWebhookClient(FieldPath.of('client'), client).map((error) =>
    formatFieldError(error).replace(/ \(e\.g\..*\)$/, ''),
  );
const form = 'desired format: https://host[/path]';

describe('the URL of a webhook', () => {
  test.each([
    { url: 'https://example.org/a/b', problems: [] },
    { url: 'HTTPS://[::1]:8443', problems: [] },
    { url: 'http://example.org', problems: [`Invalid value: "http": 'https' is the only allowed URL scheme; ${form}`] },
    { url: 'https:///path', problems: [`Invalid value: "": host must be specified; ${form}`] },
    {
      url: 'https://jane@example.org/?a=b#c',
      problems: [
        'Invalid value: "jane": user information is not permitted in the URL',
        'Invalid value: "c": fragments are not permitted in the URL',
        'Invalid value: "a=b": query parameters are not permitted in the URL',
      ],
    },
  ])('$url', ({ url, problems }) => {
    expect(problemsOf({ url })).toEqual(problems.map((problem) => `client.url: ${problem}`));
  });
});

describe('the service of a webhook', () => {
  const service = { name: 'hooks', namespace: 'default' };
  const label =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";
  test.each([
    { name: 'needs no path', more: {}, problems: [] },
    { name: 'may have an empty path', more: { path: '/' }, problems: [] },
    { name: 'may have a path that ends with a slash', more: { path: '/a/b.c/' }, problems: [] },
    {
      name: 'has a name, a namespace and a port that there can be',
      more: { name: '', namespace: '', port: 0 },
      problems: [
        'name: Required value',
        'namespace: Required value',
        'port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      ],
    },
    {
      name: 'has a path that begins with a slash',
      more: { path: 'xa' },
      problems: [`path: Invalid value: "xa": must start with a '/'`],
    },
    {
      name: 'has no empty parts in its path',
      more: { path: '/a//b' },
      problems: ['path: Invalid value: "/a//b": segment[1] may not be empty'],
    },
    {
      name: 'has parts of its path that are names',
      more: { path: '/A' },
      problems: [`path: Invalid value: "/A": segment[0]: ${label}`],
    },
  ])('$name', ({ more, problems }) => {
    expect(problemsOf({ service: { ...service, ...more } })).toEqual(
      problems.map((problem) => `client.service.${problem}`),
    );
  });
});

test('a webhook is at one place', () => {
  const problem = 'client: Required value: exactly one of url or service is required';
  expect(problemsOf({})).toEqual([problem]);
  expect(problemsOf({ url: 'https://a', service: { name: 'a', namespace: 'b' } })).toEqual([problem]);
});
