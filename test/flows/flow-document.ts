import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** A step of a flow, and the file that takes it. */
export interface Row {
  readonly step: string;
  readonly file: string;
}

/** The tables of a document in `docs/flows`, one a section, in order. */
export function tablesOf(document: string): readonly (readonly Row[])[] {
  return textOf(document).split(/^## /m).slice(1).map(rowsOf);
}

function rowsOf(section: string): Row[] {
  return [...section.matchAll(/^\| `([\w.: ]+)` \| `([^`]+)` \|/gm)].map(([, step = '', file = '']) => ({
    step,
    file,
  }));
}

function textOf(document: string): string {
  return readFileSync(new URL(document, root), 'utf8');
}

/** That every file that the document names is there, and that those of its steps name them. */
export function testFiles(document: string): void {
  test('names only files that there are', () => {
    const named = [...textOf(document).matchAll(/`((?:packages|test|docs)\/[^`*]+)`/g)].map(([, file = '']) => file);
    expect(named.filter((file) => !existsSync(new URL(file, root)))).toEqual([]);
  });
}

/** The text of a source file. */
export function sourceOf(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}
