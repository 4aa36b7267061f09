/** The columns of server-side tables, by the name of a printer in the facts. */
export function* columnFiles({ columns }) {
  const { about: _, ...printers } = columns;
  const lines = Object.entries(printers).map(([name, rows]) => `  ${JSON.stringify(name)}: ${JSON.stringify(rows)},\n`);
  yield [
    'packages/api/src/generated/columns.ts',
    `/** [name, type, format, priority] */\nexport type ColumnRow = readonly [string, string, string, number];\n\nexport const columns: Readonly<Record<string, readonly ColumnRow[]>> = {\n${lines.join('')}};\n`,
  ];
}
