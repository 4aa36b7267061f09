import type { Session } from 'node:inspector/promises';

/** Profiles this process with the V8 inspector. */
export interface ProcessProfiler {
  startCpu(): Promise<() => Promise<string>>;
  startHeap(): Promise<() => Promise<string>>;
  waitingFor(): Readonly<Record<string, number>>;
}

/** The inspector is loaded with the first profile, which is rare. */
export function createProcessProfiler(): ProcessProfiler {
  const running = new Set<string>();
  const start = async (kind: string, recording: Recording): Promise<() => Promise<string>> => {
    if (running.has(kind)) throw new Error(`${kind} profiling already in use`);
    running.add(kind);
    const session = await connect();
    const end = () => {
      session.disconnect();
      running.delete(kind);
    };
    try {
      await recording.begin(session);
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      try {
        return JSON.stringify(await recording.finish(session));
      } finally {
        end();
      }
    };
  };
  return {
    startCpu: () => start('cpu', cpu),
    startHeap: () => start('heap', heap),
    waitingFor: () => {
      const found: Record<string, number> = {};
      for (const kind of process.getActiveResourcesInfo()) found[kind] = (found[kind] ?? 0) + 1;
      return found;
    },
  };
}

async function connect(): Promise<Session> {
  const inspector = await import('node:inspector/promises');
  const session = new inspector.Session();
  session.connect();
  return session;
}

interface Recording {
  begin(session: Session): Promise<void>;
  finish(session: Session): Promise<unknown>;
}

const cpu: Recording = {
  begin: async (session) => {
    await session.post('Profiler.enable');
    await session.post('Profiler.start');
  },
  finish: async (session) => (await session.post('Profiler.stop')).profile,
};

const heap: Recording = {
  begin: async (session) => {
    await session.post('HeapProfiler.enable');
    await session.post('HeapProfiler.startSampling');
  },
  finish: async (session) => (await session.post('HeapProfiler.stopSampling')).profile,
};
