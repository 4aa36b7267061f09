import { parseDuration } from '@coracle/apimachinery';
import { type Millis, VirtualClock, type VirtualClockOptions } from '@coracle/base';

/** A virtual clock that also accepts durations as text: `clock.advance('5m')`. */
export class ClusterClock extends VirtualClock {
  constructor(options: VirtualClockOptions) {
    super(options);
  }

  override advance(span: Millis | string): Promise<void> {
    return super.advance(typeof span === 'number' ? span : parseSpan(span));
  }
}

function parseSpan(text: string): Millis {
  const span = parseDuration(text);
  if (span === undefined)
    throw new Error(`invalid duration ${JSON.stringify(text)}: use a form such as 90s, 5m or 1h30m`);
  return span;
}
