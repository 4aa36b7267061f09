export interface TabOptions {
  readonly minWidth: number;
  readonly padding: number;
}

/** Lines whose cells end in tabs, with the cells of neighbouring lines aligned: Go's elastic tab stops. */
export function alignTabs(text: string, { minWidth, padding }: TabOptions): string {
  const lines = text.split('\n').map((line) => line.split('\t'));
  const out: string[] = [];
  const widths: number[] = [];
  const writeLines = (from: number, to: number): void => {
    for (let i = from; i < to; i++) {
      out.push((lines[i] ?? []).map((cell, j) => (j < widths.length ? cell.padEnd(widths[j] ?? 0) : cell)).join(''));
    }
  };
  const format = (from: number, to: number): void => {
    const column = widths.length;
    let start = from;
    for (let i = from; i < to; i++) {
      if (column >= (lines[i]?.length ?? 0) - 1) continue;
      writeLines(start, i);
      start = i;
      let width = minWidth;
      for (; i < to && column < (lines[i]?.length ?? 0) - 1; i++)
        width = Math.max(width, displayWidth(lines[i]?.[column] ?? '') + padding);
      widths.push(width);
      format(start, i);
      widths.pop();
      start = i;
    }
    writeLines(start, to);
  };
  format(0, lines.length);
  return out.join('\n');
}

function displayWidth(text: string): number {
  return [...text].length;
}

/** Rows of a table, three spaces apart. Widths only grow, so that rows that come later stay in their columns. */
export class TableWriter {
  readonly #widths: number[] = [];

  format(rows: readonly (readonly string[])[]): string {
    for (const row of rows)
      row.slice(0, -1).forEach((cell, i) => {
        this.#widths[i] = Math.max(this.#widths[i] ?? 6, displayWidth(cell) + 3);
      });
    return rows
      .map((row) => row.map((cell, i) => (i < row.length - 1 ? pad(cell, this.#widths[i] ?? 0) : cell)).join(''))
      .map((line) => `${line}\n`)
      .join('');
  }
}

function pad(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - displayWidth(cell)));
}
