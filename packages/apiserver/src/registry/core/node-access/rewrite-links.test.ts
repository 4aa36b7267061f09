import type { ApiResponse } from '@coracle/apimachinery';
import { expect, test } from 'vitest';
import { HtmlRewriter, rewriteLinks, rewriteUrl } from './rewrite-links.js';

const base = { prefix: '/api/v1/namespaces/default/pods/web/proxy', host: '10.1.0.1:80' };
const p = base.prefix;

test.each([
  ['/a', `${p}/a`],
  ['/', `${p}/`],
  ['/a?x=1#y', `${p}/a?x=1#y`],
  ['a/b', 'a/b'],
  ['?x=1', '?x=1'],
  ['#top', '#top'],
  ['', ''],
  ['mailto:a@example.com', 'mailto:a@example.com'],
  ['http://10.1.0.1:80/a', `${p}/a`],
  ['http://10.1.0.1:80', `${p}/`],
  ['//10.1.0.1:80/a', `${p}/a`],
  ['https://example.com/a', 'https://example.com/a'],
  ['//example.com/a', '//example.com/a'],
  [`${p}/a`, `${p}/a`],
])('the URL %j becomes %j', (url, expected) => {
  expect(rewriteUrl(url, base)).toBe(expected);
});

const pages: readonly (readonly [string, string])[] = [
  ['<a href="/rewriteme">test</a>', `<a href="${p}/rewriteme">test</a>`],
  ["<A class=x HREF='/r'>", `<A class=x HREF='${p}/r'>`],
  ['<a href=/r>', `<a href=${p}/r>`],
  ['<img alt="a > b" src="/i.png"/>', `<img alt="a > b" src="${p}/i.png"/>`],
  ['<!-- <a href="/r"> -->', '<!-- <a href="/r"> -->'],
  [
    '<script src="/s.js">x = "<a href=\'/r\'>";</script><a href="/r">',
    `<script src="${p}/s.js">x = "<a href='/r'>";</script><a href="${p}/r">`,
  ],
  ['1 < 2 and <b title="/r">/r</b>', '1 < 2 and <b title="/r">/r</b>'],
  [
    '<form action="/f"><input src="/i" formaction="/g" value="/v">',
    `<form action="${p}/f"><input src="${p}/i" formaction="${p}/g" value="/v">`,
  ],
  ['<a href="/r', '<a href="/r'],
];

test.each(pages)('the page %j', (page, expected) => {
  const rewriter = new HtmlRewriter(base);
  expect(rewriter.push(page) + rewriter.end()).toBe(expected);
});

test.each(pages)('the page %j, byte by byte', (page, expected) => {
  const rewriter = new HtmlRewriter(base);
  const out = [...page].map((character) => rewriter.push(character)).join('');
  expect(out + rewriter.end()).toBe(expected);
});

const response = (headers: ApiResponse['headers'], text: string): ApiResponse => ({
  status: 200,
  headers,
  body: { kind: 'bytes', chunks: [new TextEncoder().encode(text)] },
});

function textOf({ body }: ApiResponse): string {
  return body.kind === 'bytes' ? body.chunks.map((chunk) => new TextDecoder().decode(chunk)).join('') : '';
}

test('HTML is rewritten in any encoding, without its former length', () => {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': '30' };
  const answer = rewriteLinks(response(headers, '<a href="/ä">ü€</a>'), base);
  expect(textOf(answer)).toBe(`<a href="${p}/ä">ü€</a>`);
  expect(answer.headers).toEqual({ 'content-type': 'text/html; charset=utf-8' });
});

test.each([{ 'content-type': 'text/plain' }, { 'content-type': 'text/html', 'content-encoding': 'gzip' }, {}])(
  'a body with the headers %j passes untouched',
  (headers) => {
    const rewritten = response({ ...headers, 'content-length': '13' }, '<a href="/r">');
    expect(rewriteLinks(rewritten, base)).toBe(rewritten);
  },
);

test('redirects lead through the proxy', () => {
  const answer = rewriteLinks({ status: 302, headers: { location: '/login' }, body: { kind: 'empty' } }, base);
  expect(answer.headers['location']).toBe(`${p}/login`);
});
