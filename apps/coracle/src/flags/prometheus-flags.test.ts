import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { addPrometheusFlags, prometheusOptions } from './prometheus-flags.js';

async function optionsOf(...args: string[]) {
  const command = addPrometheusFlags(new Command().exitOverride().configureOutput({ writeErr: () => undefined }));
  return await prometheusOptions(command.parse(args, { from: 'user' }).opts());
}

test('Prometheus is used if both flags are set', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'coracle-flags-'));
  try {
    const file = join(directory, 'rules.yaml');
    await writeFile(file, 'externalRules: [{seriesQuery: a, metricsQuery: "sum(<<.Series>>)"}]');
    expect(await optionsOf('--prometheus-url=http://p:9090', `--prometheus-rules=${file}`)).toMatchObject({
      prometheus: { url: 'http://p:9090', rules: { custom: [], external: [{ seriesQuery: 'a' }] } },
    });
  } finally {
    await rm(directory, { recursive: true });
  }
});

test.each([
  [[], undefined],
  [['--prometheus-url=http://p'], 'must be given together'],
  [['--prometheus-rules=/r'], 'must be given together'],
  [['--prometheus-url=p:9090', '--prometheus-rules=/r'], 'must be a URL such as'],
  [['--prometheus-url=http://p', '--prometheus-rules=/nowhere'], '/nowhere: ENOENT'],
])('%j', async (args, problem) => {
  const result = optionsOf(...args);
  if (problem === undefined) expect(await result).toEqual({});
  else await expect(result).rejects.toThrow(problem);
});
