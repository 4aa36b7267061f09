import type { KubeObject, ResourceRef } from '@coracle/apimachinery';
import type { Controller, ControllerContext, RunningController } from './controller.js';

export interface OptionalController<T extends KubeObject> extends Omit<Controller, 'start'> {
  /** The versions that it supports, in order of preference. */
  readonly versions: readonly ResourceRef<T>[];
  start(context: ControllerContext, ref: ResourceRef<T>): RunningController;
}

/** A controller of a kind that is disabled unless `--runtime-config` enables it: it starts once the kind is served. */
export function whenServed<T extends KubeObject>({ versions, start, ...rest }: OptionalController<T>): Controller {
  return {
    ...rest,
    start(context) {
      const { catalog, logger } = context;
      let running: RunningController | undefined;
      let ended = false;
      const look = async () => {
        for (const ref of versions) {
          if (running || ended) return;
          if ((await catalog.byKind(ref)) && !running && !ended) running = start(context, ref);
        }
      };
      const lookSafely = () =>
        void look().catch((error: unknown) =>
          logger.info('failed to discover served resources', { controller: rest.name, error }),
        );
      const listening = catalog.onChange(lookSafely);
      lookSafely();
      return {
        async [Symbol.asyncDispose]() {
          ended = true;
          listening[Symbol.dispose]();
          await running?.[Symbol.asyncDispose]();
        },
      };
    },
  };
}
