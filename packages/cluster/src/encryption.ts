import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYamlDocuments } from '@coracle/apimachinery';
import { encryptedStore, type TransformersOf } from '@coracle/apiserver';
import { type DisposableStack, type Logger, messageOf } from '@coracle/base';
import { type KmsConnection, makeDirectory, ReloadedFile, readEncryptionConfig } from '@coracle/platform-nodejs';
import type { Store } from '@coracle/store';
import { lazyKms } from './lazy-kms.js';

export interface EncryptionOptions {
  readonly file: string;
  /** Whether the file is read again when it changes. */
  readonly reloads: boolean;
  readonly logger: Logger;
  readonly parts: DisposableStack;
}

/** The store, with the resources that an `EncryptionConfiguration` names encrypted in it. */
export async function encryptStore(store: Store, { file, reloads, logger, parts }: EncryptionOptions): Promise<Store> {
  const plugins = new Map<string, KmsConnection>();
  parts.defer(() => {
    for (const plugin of plugins.values()) plugin[Symbol.dispose]();
  });
  const connect = (options: { readonly endpoint: string; readonly timeoutMs: number }) => {
    const plugin = plugins.get(options.endpoint) ?? lazyKms(options);
    plugins.set(options.endpoint, plugin);
    return plugin;
  };
  const read = (text: string) => readEncryptionConfig(parseYamlDocuments(Buffer.from(text))[0]?.value, { connect });
  const text = await readFile(file, 'utf8');
  let transformersOf: TransformersOf = await read(text).catch((error: unknown) => {
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  });
  const apply = async (changed: string) => {
    transformersOf = await read(changed);
  };
  if (reloads) parts.use(new ReloadedFile(file, text, { apply, logger }));
  return encryptedStore(store, (key) => transformersOf(key));
}

/**
 * The default configuration: secrets are encrypted with a key in the data directory. It is created once; values that an
 * older version stored unencrypted can still be read.
 */
export async function ownEncryptionConfig(dataDir: string): Promise<string> {
  const file = join(dataDir, 'encryption-config.yaml');
  await makeDirectory(dataDir);
  await writeFile(file, configuration(randomBytes(32).toString('base64')), { mode: 0o600, flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
  return file;
}

function configuration(secret: string): string {
  return `apiVersion: apiserver.config.k8s.io/v1
kind: EncryptionConfiguration
resources:
  - resources: [secrets]
    providers:
      - aesgcm:
          keys:
            - name: key1
              secret: ${secret}
      - identity: {}
`;
}
