/** Components whose code is loaded when they are first shown. */
import { type ComponentType, useLayoutEffect, useState } from 'react';

/**
 * A component that loads its code when it is first shown, and shows `Fallback` until then.
 *
 * Instead of React's `lazy`: `Suspense` shows what was loaded at the earliest 300 ms after its fallback, also when the
 * code arrives within a few milliseconds. An error of the import is thrown to the error boundary; a component that is
 * shown later tries again.
 */
export function onDemand<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  Fallback: ComponentType<Props> = Nothing,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function OnDemand(props: Props) {
    const [, setDone] = useState(loaded !== undefined);
    const [error, setError] = useState<{ readonly cause: unknown }>();
    useLayoutEffect(() => {
      if (loaded !== undefined) return;
      let isShown = true;
      load().then(
        (component) => {
          loaded = component;
          if (isShown) setDone(true);
        },
        (cause: unknown) => {
          if (isShown) setError({ cause });
        },
      );
      return () => {
        isShown = false;
      };
    }, []);
    if (error !== undefined) throw error.cause;
    const Component = loaded ?? Fallback;
    return <Component {...props} />;
  };
}

function Nothing() {
  return null;
}
