import { pageNotFound } from '@coracle/apimachinery';
import type { Handler } from '@coracle/apiserver';
import { debugPage } from './component-pages.js';
import type { Component } from './components.js';

/** Debug output of controllers, by their current and former names. */
const paths = ['garbage-collector-controller', 'garbagecollector'].map((name) => `/debug/controllers/${name}/graph`);

/** Controllers in the API server's process have no port of their own, so it serves their debug output. */
export function debugEndpoints(controllers: () => Component | undefined): Readonly<Record<string, Handler>> {
  const handler = (path: string): Handler => {
    return async ({ query }) => {
      const page = debugPage(controllers(), { path, query: query.toString() });
      if (!page) throw pageNotFound();
      return page;
    };
  };
  return Object.fromEntries(paths.map((path) => [path, handler(path)]));
}
