/** The interval at which an open event is read: each second around the time of its call, until it is finished. Pure. */
import { adaptiveInterval, type Timed } from '../../api/polling.ts';

const FOLLOWED_MS = 1_000;
/** An event is followed from this time before its call. */
const BEFORE_MS = 10_000;

/** For `refetchInterval`. `nextCall`: the time of the next call of an event that is not finished, in milliseconds since 1970. */
export function followingInterval<Value>(
  nextCall: (value: Value) => number | undefined,
): (query: { readonly state: { readonly data: Timed<Value> | undefined } }) => number {
  return (query) => {
    const { data } = query.state;
    const next = data && nextCall(data.value);
    return next !== undefined && next - Date.now() < BEFORE_MS ? FOLLOWED_MS : adaptiveInterval(query);
  };
}
