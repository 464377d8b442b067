/** Registers forms with changes that are not saved, and requires a confirmation before they are closed. */

/** A dialog or drawer. Work belongs to the innermost one around it and to all that contain that one. */
export interface WorkScope {
  readonly parent: WorkScope | undefined;
}

export interface PendingLeave {
  /** The dialog that closes. Undefined when the page is left. */
  readonly scope: WorkScope | undefined;
  readonly leave: () => void;
}

export interface UnsavedWork {
  /** `token` identifies the form. `scope` is undefined for a form of the page itself. */
  readonly add: (token: object, scope: WorkScope | undefined) => void;
  readonly delete: (token: object) => void;
  /** Whether there is work in a dialog, or anywhere when `scope` is undefined. */
  readonly isIn: (scope: WorkScope | undefined) => boolean;
  /** Whether there is work in any dialog. */
  readonly isInDialog: () => boolean;
  /** Calls `leave` at once when there is no work, otherwise after the user has confirmed to discard it. */
  readonly leave: (scope: WorkScope | undefined, leave: () => void) => void;
  /** What waits for confirmation. */
  readonly pending: () => PendingLeave | undefined;
  readonly keepEditing: () => void;
  readonly discard: () => void;
  /** `notify` is called when `pending` or the presence of work changes. */
  readonly subscribe: (notify: () => void) => () => void;
}

export function createUnsavedWork(): UnsavedWork {
  const works = new Map<object, WorkScope | undefined>();
  const listeners = new Set<() => void>();
  let pending: PendingLeave | undefined;
  const notify = (): void => {
    for (const listener of listeners) listener();
  };
  const setPending = (next: PendingLeave | undefined): void => {
    pending = next;
    notify();
  };
  const isIn = (scope: WorkScope | undefined): boolean => [...works.values()].some((own) => contains(scope, own));
  return {
    add(token, scope) {
      works.set(token, scope);
      notify();
    },
    delete(token) {
      if (works.delete(token)) notify();
    },
    isIn,
    isInDialog: () => [...works.values()].some((own) => own !== undefined),
    leave(scope, leave) {
      if (isIn(scope)) setPending({ scope, leave });
      else leave();
    },
    pending: () => pending,
    keepEditing: () => setPending(undefined),
    discard() {
      const confirmed = pending;
      if (confirmed === undefined) return;
      for (const [token, own] of works) if (contains(confirmed.scope, own)) works.delete(token);
      setPending(undefined);
      confirmed.leave();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Whether `inner` is `scope` or inside of it. The undefined scope contains everything. */
function contains(scope: WorkScope | undefined, inner: WorkScope | undefined): boolean {
  if (scope === undefined || scope === inner) return true;
  return inner !== undefined && contains(scope, inner.parent);
}

/** The work of all forms of the page. */
export const unsavedWork = createUnsavedWork();

let submission: (() => void) | undefined;

/** Runs the submit handler of a form. A command that `handle` starts calls `onSaved` when it succeeds. */
export function submitWork<Result>(onSaved: () => void, handle: () => Result): Result {
  const outer = submission;
  submission = onSaved;
  try {
    return handle();
  } finally {
    submission = outer;
  }
}

/** The `onSaved` of the form whose submit handler runs. Undefined outside of submit handlers. */
export function currentSubmission(): (() => void) | undefined {
  return submission;
}
