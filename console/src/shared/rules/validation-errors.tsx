/** Counts the invalid fields of a form, which prevent saving. */
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';

const ProblemsContext = createContext<(change: 1 | -1) => void>(() => undefined);

/** Counts the invalid fields below. `children` receives the number. */
export function Problems({ children }: { readonly children: (count: number) => ReactNode }) {
  const [count, setCount] = useState(0);
  const report = useCallback((change: 1 | -1) => setCount((before) => before + change), []);
  return <ProblemsContext value={report}>{children(count)}</ProblemsContext>;
}

/** Counts one invalid field while `invalid` is true and the field is mounted. */
export function useProblem(invalid: boolean): void {
  const report = useContext(ProblemsContext);
  useEffect(() => {
    if (!invalid) return;
    report(1);
    return () => report(-1);
  }, [invalid, report]);
}
