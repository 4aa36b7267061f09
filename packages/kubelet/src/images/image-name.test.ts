import { expect, test } from 'vitest';
import { imageNameProblem } from './image-name.js';

const hex = 'a'.repeat(64);

test.each([
  'nginx',
  'nginx:1.27',
  'library/nginx',
  'ghcr.io/a/b-c_d__e/f.g:v1',
  'localhost/x',
  'localhost:5000/x:latest',
  'registry:5000/x',
  '[fd00::1]:5000/x',
  'Registry.example.com/x',
  `x@sha256:${hex}`,
  `x:1@sha256:${hex}`,
  `sha256:${hex}`,
])('%s can be pulled', (name) => {
  expect(imageNameProblem(name)).toBeUndefined();
});

test.each([
  ['Nginx', 'invalid reference format: repository name (library/Nginx) must be lowercase'],
  ['ghcr.io/Acme/app:1', 'invalid reference format: repository name (Acme/app) must be lowercase'],
  ['nginx:', 'invalid reference format'],
  ['nginx:1:2', 'invalid reference format'],
  ['nginx latest', 'invalid reference format'],
  ['https://ghcr.io/acme/app', 'invalid reference format'],
  ['-nginx', 'invalid reference format'],
  ['a//b', 'invalid reference format'],
  ['', 'invalid reference format'],
  [hex, `invalid repository name (${hex}), cannot specify 64-byte hexadecimal strings`],
  [`x@sha256:${hex}00`, 'invalid checksum digest length'],
  [`x@md5:${hex}`, 'unsupported digest algorithm'],
  [`x@${hex}`, 'invalid reference format'],
  [`a/${'b'.repeat(254)}`, 'repository name must not be more than 255 characters'],
])('%s cannot be pulled: %s', (name, problem) => {
  expect(imageNameProblem(name)).toBe(problem);
});
