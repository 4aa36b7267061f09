/** The steps that the server recorded for one object. */
export interface TraceStep {
  readonly name: string;
  readonly at: number;
  readonly details?: Readonly<Record<string, string | number>>;
}

export interface Trace {
  readonly subject: string;
  readonly chapters: readonly { readonly subject: string; readonly steps: readonly TraceStep[] }[];
}

export type StageName =
  | 'request'
  | 'authentication'
  | 'authorization'
  | 'admission'
  | 'store'
  | 'watch'
  | 'controller'
  | 'scheduler'
  | 'kubelet'
  | 'network';

interface KnownStep {
  readonly stage: StageName;
  readonly component: string;
}

/** The steps of `docs/flows/create-a-pod.md`, each with the stage that it belongs to. A test compares both. */
export const knownSteps: Readonly<Record<string, KnownStep>> = {
  'apiserver.receive': step('request', 'apiserver'),
  'apiserver.authenticate': step('authentication', 'apiserver'),
  'apiserver.authorize': step('authorization', 'apiserver'),
  'apiserver.decode': step('admission', 'apiserver'),
  'apiserver.mutate': step('admission', 'apiserver'),
  'apiserver.validate': step('admission', 'apiserver'),
  'apiserver.admit': step('admission', 'apiserver'),
  'apiserver.store': step('store', 'store'),
  'apiserver.watch': step('watch', 'apiserver'),
  'controller.sync': step('controller', 'controllers'),
  'scheduler.queue': step('scheduler', 'scheduler'),
  'scheduler.schedule': step('scheduler', 'scheduler'),
  'scheduler.place': step('scheduler', 'scheduler'),
  'scheduler.bind': step('scheduler', 'scheduler'),
  'apiserver.bind': step('scheduler', 'apiserver'),
  'kubelet.podAdded': step('kubelet', 'kubelet'),
  'kubelet.runPodSandbox': step('network', 'kubelet'),
  'kubelet.image': step('kubelet', 'kubelet'),
  'kubelet.createContainer': step('kubelet', 'kubelet'),
  'kubelet.startContainer': step('kubelet', 'kubelet'),
  'kubelet.status': step('kubelet', 'kubelet'),
};

function step(stage: StageName, component: string): KnownStep {
  return { stage, component };
}

/** The order in which a pod passes them. A pod that a user created has no controller. */
export const stages: readonly StageName[] = [
  'controller',
  'request',
  'authentication',
  'authorization',
  'admission',
  'store',
  'watch',
  'scheduler',
  'kubelet',
  'network',
];

export interface ToldStep {
  readonly name: string;
  readonly object: string;
  /** Since the first step of the story. */
  readonly afterMs: number;
  readonly file: string;
  readonly component: string;
  readonly details: string;
}

export interface Stage {
  readonly name: StageName;
  /** When it began, since the first step; undefined while it has not. */
  readonly afterMs: number | undefined;
  readonly steps: readonly ToldStep[];
}

/** The story of a pod by stages: what happened in each, when, to which object, and in which of the files by step. */
export function storyOf({ subject, chapters }: Trace, files: Readonly<Record<string, string>>): readonly Stage[] {
  const began = chapters[0]?.steps[0]?.at ?? 0;
  const records = chapters.flatMap(({ subject: object, steps }) =>
    steps.flatMap((one) => {
      const step = knownSteps[one.name];
      // Of its owners only the controller's step is shown: their other steps are like the pod's own.
      if (!step || (object !== subject && step.stage !== 'controller')) return [];
      return [
        { stage: step.stage, step: toldStep(one, step.component, { object, began, file: files[one.name] ?? '' }) },
      ];
    }),
  );
  return stages.map((name) => {
    const steps = records.filter(({ stage }) => stage === name).map(({ step }) => step);
    return { name, afterMs: steps[0]?.afterMs, steps };
  });
}

function toldStep(
  { name, at, details = {} }: TraceStep,
  component: string,
  { object, began, file }: { readonly object: string; readonly began: number; readonly file: string },
): ToldStep {
  const text = Object.entries(details)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
  return { name, object, afterMs: at - began, file, component, details: text };
}
