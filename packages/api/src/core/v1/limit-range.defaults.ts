import type { LimitRange } from '../../generated/types/core-v1.js';
import { setResourceListDefaults } from './resource-list.defaults.js';

/** For containers, a maximum is also the default limit, and a default limit or a minimum the default request. */
export function setLimitRangeDefaults(limitRange: LimitRange): void {
  for (const item of limitRange.spec?.limits ?? []) {
    const { max, min, maxLimitRequestRatio } = item;
    for (const list of [max, min, maxLimitRequestRatio, item.default, item.defaultRequest])
      setResourceListDefaults(list);
    if (item.type !== 'Container') continue;
    item.default = { ...item.max, ...item.default };
    item.defaultRequest = { ...item.min, ...item.default, ...item.defaultRequest };
    if (Object.keys(item.default).length === 0) delete item.default;
    if (Object.keys(item.defaultRequest).length === 0) delete item.defaultRequest;
  }
}
