/** How many fields of a form hold what does not fit, so that it is not saved as long as there is one. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

const ProblemsContext = createContext<(change: 1 | -1) => void>(() => undefined);

/** Counts the faults below it; `children` is given their number. */
export function Problems({ children }: { readonly children: (count: number) => ReactNode }) {
  const [count, setCount] = useState(0);
  const report = useCallback((change: 1 | -1) => setCount((before) => before + change), []);
  return <ProblemsContext value={report}>{children(count)}</ProblemsContext>;
}

/** Counts as one while `faulty` is true and the field is there. */
export function useProblem(invalid: boolean): void {
  const report = useContext(ProblemsContext);
  useEffect(() => {
    if (!invalid) return;
    report(1);
    return () => report(-1);
  }, [invalid, report]);
}
