/** Registers the changes of a form, so that nothing closes it without a confirmation. */
import { createContext, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { unsavedWork, type WorkScope } from './unsaved-work.ts';

/** The innermost dialog or drawer. */
export const WorkScopeContext = createContext<WorkScope | undefined>(undefined);

/** Returns the scope of a new dialog, for `WorkScopeContext` around its content. */
export function useWorkScope(): WorkScope {
  const parent = useContext(WorkScopeContext);
  return useMemo(() => ({ parent }), [parent]);
}

/**
 * Closing the dialog around, navigation and reload require a confirmation while `isUnsaved`. Returns a function that
 * withdraws this at once, before the next rendering. Forms of `useDraftForm` need no call.
 */
export function useUnsavedWork(isUnsaved: boolean): () => void {
  const scope = useContext(WorkScopeContext);
  const [token] = useState(() => ({}));
  useEffect(() => {
    if (!isUnsaved) return undefined;
    unsavedWork.add(token, scope);
    return () => unsavedWork.delete(token);
  }, [isUnsaved, token, scope]);
  return useCallback(() => unsavedWork.delete(token), [token]);
}

/**
 * Returns a function that closes the dialog around by calling `leave`, after a confirmation when it has unsaved work.
 * Outside of dialogs it calls `leave`, which `navigate` confirms.
 */
export function useLeave(): (leave: () => void) => void {
  const scope = useContext(WorkScopeContext);
  return (leave) => {
    if (scope === undefined) leave();
    else unsavedWork.leave(scope, leave);
  };
}
