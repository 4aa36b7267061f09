import { X509Certificate } from 'node:crypto';
import { readdir, readFile, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { formatHumanDuration } from '@coracle/apimachinery';
import { systemClock } from '@coracle/platform-nodejs';
import { Command } from 'commander';

interface CertsFlags {
  readonly dataDir: string;
}

/** `coracle certs`: when the certificates of a data directory expire, and how to have them made again. */
export function certsCommand(): Command {
  const dataDir = ['--data-dir <dir>', 'data directory', join(homedir(), '.coracle', 'default')] as const;
  const renew = new Command('renew')
    .description('renew certificates at the next start; CAs are kept')
    .argument('[names...]', 'certificates to renew (default: all but CAs)')
    .option(...dataDir)
    .action(async (names: readonly string[], _own: CertsFlags, command: Command) => {
      // Commander gives a flag that both commands have to `certs`, wherever it is written.
      const { dataDir: folder } = command.optsWithGlobals<CertsFlags>();
      process.stdout.write(await renewCertificates(join(folder, 'pki'), names));
    });
  return new Command('certs')
    .description('show when certificates expire, and renew them')
    .option(...dataDir)
    .action(async (flags: CertsFlags) => {
      process.stdout.write(await describeCertificates(join(flags.dataDir, 'pki'), systemClock.now()));
    })
    .addCommand(renew);
}

interface NamedCertificate {
  readonly name: string;
  readonly certificate: X509Certificate;
}

async function readCertificates(folder: string): Promise<readonly NamedCertificate[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.crt')).sort();
  return await Promise.all(
    files.map(async (file) => ({
      name: file.replace(/\.crt$/, ''),
      certificate: new X509Certificate(await readFile(join(folder, file))),
    })),
  );
}

/** A line for each certificate, as a table. */
export async function describeCertificates(folder: string, now: number): Promise<string> {
  const rows = (await readCertificates(folder)).map(({ name, certificate }) => {
    const end = Date.parse(certificate.validTo);
    const left = end > now ? formatHumanDuration(end - now) : 'expired';
    return [name, new Date(end).toISOString().slice(0, 19), left, certificate.ca ? 'yes' : 'no'];
  });
  const table = [['CERTIFICATE', 'EXPIRES', 'RESIDUAL TIME', 'AUTHORITY'], ...rows];
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => (row[column] ?? '').length))) ?? [];
  return table
    .map(
      (row) =>
        `${row
          .map((cell, i) => cell.padEnd(widths[i] ?? 0))
          .join('   ')
          .trimEnd()}\n`,
    )
    .join('');
}

/** Removes certificates, so that the next start issues them again. CAs are never removed: all components trust them. */
export async function renewCertificates(folder: string, names: readonly string[]): Promise<string> {
  const all = await readCertificates(folder);
  const leafNames = all.filter(({ certificate }) => !certificate.ca).map(({ name }) => name);
  const unknown = names.filter((name) => !leafNames.includes(name));
  if (unknown.length > 0)
    throw new Error(`no certificate ${unknown.join(', ')} that can be renewed; there are ${leafNames.join(', ')}`);
  const chosen = names.length === 0 ? leafNames : names;
  for (const name of chosen)
    for (const ending of ['crt', 'key']) await rm(join(folder, `${name}.${ending}`), { force: true });
  return `${chosen.join(', ')}: renewed at the next start\n`;
}
