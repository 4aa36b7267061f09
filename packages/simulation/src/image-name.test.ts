import { expect, test } from 'vitest';
import { fullImageName, isNowhere } from './image-name.js';

test.each([
  ['nginx', 'docker.io/library/nginx:latest'],
  ['quay.io/a/b:1', 'quay.io/a/b:1'],
  ['localhost/a', 'localhost/a:latest'],
])('%s is %s', (name, full) => {
  expect(fullImageName(name)).toBe(full);
});

test.each([
  ['webserver:404', true],
  ['foo:non-existent', true],
  ['nginx:does-not-exist', true],
  ['registry.invalid:5000/web:1', true],
  ['registry.example/404:1', false],
  ['web:1.404', false],
  ['404', false],
  ['nginx', false],
])('%s does not exist: %s', (name, nowhere) => {
  expect(isNowhere(name)).toBe(nowhere);
});
