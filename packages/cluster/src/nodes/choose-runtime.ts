import { existsSync } from 'node:fs';
import { messageOf } from '@coracle/base';

/** Values of `--runtime`. */
export type RuntimeChoice = 'auto' | 'simulated' | 'cri' | 'engine';

/** The runtime of the first node, with a description. */
export interface ChosenRuntime {
  readonly kind: 'simulated' | 'cri';
  readonly description: string;
}

/**
 * An explicitly requested runtime must exist; `auto` uses a container runtime that responds, otherwise a simulated one.
 */
export async function chooseRuntime(choice: RuntimeChoice, endpoint: string): Promise<ChosenRuntime> {
  if (choice === 'engine') throw new Error('--runtime engine is not supported yet: use cri or simulated');
  if (choice === 'simulated') return { kind: 'simulated', description: 'simulated' };
  const answer = await whoAnswers(choice, endpoint);
  if ('version' in answer) return { kind: 'cri', description: `${answer.version} at ${endpoint}` };
  if (choice === 'auto') return { kind: 'simulated', description: `simulated (${answer.problem})` };
  throw new Error(`--runtime cri: ${answer.problem}`);
}

type Answer = { readonly version: string } | { readonly problem: string };

async function whoAnswers(choice: RuntimeChoice, endpoint: string): Promise<Answer> {
  const path = /^(?:unix:\/\/)?(\/.*)$/.exec(endpoint)?.[1];
  if (path !== undefined && !existsSync(path)) return { problem: `no container runtime listens at ${endpoint}` };
  // Without root no container can be run, even if a runtime listens.
  if (choice === 'auto' && process.getuid?.() !== 0) return { problem: `${endpoint} needs root` };
  // gRPC is loaded only if a runtime may respond.
  const { createCriClient, negotiateVersion } = await import('./cri.js');
  using client = createCriClient({ endpoint });
  try {
    const { runtimeName = '', runtimeVersion = '' } = await negotiateVersion(client);
    return { version: `${runtimeName} ${runtimeVersion}` };
  } catch (error) {
    return { problem: `${endpoint} does not answer: ${messageOf(error)}` };
  }
}
