import { ConversionRegistry } from '@coracle/apimachinery';
import { autoscalerConversion } from './autoscaling.js';
import { eventConversion } from './events.js';

/** Converts every built-in kind that is served in more than one group or version with different fields. */
export function builtInConversions(): ConversionRegistry {
  return new ConversionRegistry([autoscalerConversion, eventConversion]);
}
