import { linkSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LeasedAttachment, LeaseStore } from '@coracle/cni';

/**
 * Leases as files: `addresses/ADDRESS` has the owner of an address, `attachments/OWNER` the addresses of an attachment.
 * Leases are created atomically: the file is written under another name and linked into its place, which only one of
 * several processes can do.
 */
export function leaseFiles(dataDir: string, network: string): LeaseStore {
  const root = join(dataDir, network);
  const addresses = join(root, 'addresses');
  const attachments = join(root, 'attachments');
  mkdirSync(addresses, { recursive: true });
  mkdirSync(attachments, { recursive: true });
  const lastFile = (range: string) => join(root, `last-${fileNameOf(range)}`);
  return {
    claim: (address, owner) => createOnce(join(addresses, fileNameOf(address)), owner),
    release: (address) => rmSync(join(addresses, fileNameOf(address)), { force: true }),
    claims: () =>
      namesIn(addresses).flatMap((name) => {
        const owner = readText(join(addresses, name));
        return owner === undefined ? [] : [{ address: decodeURIComponent(name), owner }];
      }),
    last: (range) => readText(lastFile(range)),
    setLast: (range, address) => replaceFile(lastFile(range), address),
    attachment: (owner) => parseAttachment(readText(join(attachments, fileNameOf(owner)))),
    saveAttachment: (owner, attachment) =>
      replaceFile(join(attachments, fileNameOf(owner)), JSON.stringify(attachment)),
    removeAttachment: (owner) => rmSync(join(attachments, fileNameOf(owner)), { force: true }),
    owners: () => namesIn(attachments).map(decodeURIComponent),
  };
}

/** Colons and slashes are not allowed in file names. */
function fileNameOf(text: string): string {
  return encodeURIComponent(text);
}

/** Temporary files begin with a dot. */
function namesIn(folder: string): string[] {
  return readdirSync(folder).filter((name) => !name.startsWith('.'));
}

function temporary(path: string): string {
  return path.replace(/([^/]*)$/, `.$1.${process.pid}`);
}

function createOnce(path: string, text: string): boolean {
  const beside = temporary(path);
  writeFileSync(beside, text, { mode: 0o600 });
  try {
    linkSync(beside, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(beside, { force: true });
  }
}

function replaceFile(path: string, text: string): void {
  const beside = temporary(path);
  writeFileSync(beside, text, { mode: 0o600 });
  renameSync(beside, path);
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A file that a crash left incomplete has no content; the addresses are found by their owner. */
function parseAttachment(text: string | undefined): LeasedAttachment | undefined {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
