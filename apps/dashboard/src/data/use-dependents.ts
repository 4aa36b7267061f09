import { useEffect, useRef, useState } from 'react';
import type { OwnedObject } from '../model/owned-tree.js';
import { useRoute } from '../router.js';
import { useCluster } from './cluster.js';
import { Dependents } from './dependents.js';

/** An object that may own others. */
export interface Owner {
  readonly uid: string;
  readonly namespace: string | undefined;
  /** Its resource version: after a change all kinds are read again. */
  readonly version: string | undefined;
}

/** The dependents of an object, live; undefined until they have been read. */
export function useDependents({ uid, namespace, version }: Owner): readonly OwnedObject[] | undefined {
  const { client, catalog, access } = useCluster();
  const at = useRoute().query.get('at') ?? undefined;
  const [owned, setOwned] = useState<readonly OwnedObject[] | undefined>();
  const followed = useRef<Dependents | undefined>(undefined);
  const versionRead = useRef(version);
  useEffect(() => {
    const stop = new AbortController();
    let waits = false;
    const onChange = () => {
      if (waits) return;
      waits = true;
      requestAnimationFrame(() => {
        waits = false;
        if (!stop.signal.aborted) setOwned(dependents.tree);
      });
    };
    const dependents = new Dependents({ client, catalog, access, uid, namespace, at, signal: stop.signal, onChange });
    followed.current = dependents;
    setOwned(undefined);
    void dependents.read();
    return () => stop.abort();
  }, [client, catalog, access, uid, namespace, at]);
  useEffect(() => {
    if (versionRead.current === version) return;
    versionRead.current = version;
    followed.current?.refresh();
  }, [version]);
  return owned;
}
