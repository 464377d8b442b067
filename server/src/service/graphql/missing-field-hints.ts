/** Hints why a name of a request is missing in the schema of its role, for callers who may see internals. */
import type { Session } from '../../auth/session.ts';
import { ServiceError } from '../../base/errors.ts';
import type { Model } from '../../model/model.ts';
import { InvalidDocument } from '../../plan/document/validation.ts';
import { whyMissing } from '../../schema/missing-fields/missing-fields.ts';

/** Runs `work`. Its errors about names that the usual schema lacks get a hint if the caller may see internals. */
export function withMissingFieldHints<T>(
  model: Model,
  caller: { readonly session: Session; readonly showInternal: boolean; readonly relay?: boolean },
  work: () => T,
): T {
  try {
    return work();
  } catch (error) {
    throw caller.showInternal && !caller.relay && error instanceof ServiceError
      ? hinted(error, model, caller.session)
      : error;
  }
}

function hinted(error: ServiceError, model: Model, session: Session): ServiceError {
  if (error instanceof InvalidDocument) {
    const [first = error, ...others] = error.errors.map((one) => hinted(one, model, session));
    return new InvalidDocument(first, others);
  }
  if (error.missingField === undefined) return error;
  const { role, backend } = session;
  const hint = whyMissing({ model, role, backend, ...error.missingField });
  return hint === undefined ? error : error.withHint(hint);
}
