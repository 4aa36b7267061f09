import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { createConnection, createServer } from 'node:net';
import { join } from 'node:path';

/** A socket in a directory, which accepts connections as long as the process lives that opened it. */
export interface OwnerSocket extends Disposable {
  /** Of its file in the directory. */
  readonly name: string;
}

/** `undefined` where sockets have no files: in some file systems, on Windows, and where the path would be too long. */
export async function openOwnerSocket(directory: string): Promise<OwnerSocket | undefined> {
  const name = `owner-${process.pid}-${randomUUID().slice(0, 8)}.sock`;
  const server = createServer((connection) => connection.destroy());
  const isListening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(join(directory, name), () => resolve(true));
  });
  if (!isListening) return undefined;
  server.on('error', () => undefined);
  server.unref();
  return {
    name,
    [Symbol.dispose]: () => {
      server.close();
      removeOwnerSocket(directory, name);
    },
  };
}

const namePattern = /^owner-(\d+)-\w+\.sock$/;

/** The pid of a process that lives and has a socket in the directory, as its own container counts. */
export async function findOwner(directory: string): Promise<number | undefined> {
  for (const name of ownerSocketsIn(directory))
    if (await isOwnerSocketOpen(directory, name)) return Number(namePattern.exec(name)?.[1]);
  return undefined;
}

export function ownerSocketsIn(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => namePattern.test(name));
}

/** Whether the process lives that opened the socket, in whatever container of this machine it is. */
export function isOwnerSocketOpen(directory: string, name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(join(directory, name));
    connection.once('connect', () => {
      connection.destroy();
      resolve(true);
    });
    connection.once('error', () => resolve(false));
  });
}

/** What a process leaves that was killed. */
export function removeOwnerSocket(directory: string, name: string): void {
  rmSync(join(directory, name), { force: true });
}
