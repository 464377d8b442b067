/** What a form was opened on, so that it does not undo what somebody else has made of it since. */
import { useState } from 'react';

/** A part of the metadata, and the version of the metadata that it was read from. */
export interface Reading<Shown> {
  readonly shown: Shown;
  readonly version: number | undefined;
}

export interface ConflictState<Shown> {
  /** What the form changes, as it was opened; a change that names the version is refused where somebody was faster. */
  readonly basis: Reading<Shown>;
  /** What somebody else has made of it since, to be saved over on demand; undefined where it is as it was. */
  readonly newer: Reading<Shown> | undefined;
}

interface OpenForm<Shown> extends ConflictState<Shown> {
  /** Goes on from another reading: for forms that stay open. */
  readonly reopen: (reading: Reading<Shown>) => void;
}

/** `shown` is what the form changes as it was read last, from `version` of the metadata. */
export function useEditConflict<Shown>(shown: Shown, version: number | undefined): OpenForm<Shown> {
  const now = { shown, version };
  const [first, reopen] = useState<Reading<Shown>>(now);
  return { ...conflictState(first, now), reopen };
}

/** What others change elsewhere is taken up with each reading: only what the form itself shows must not be undone. */
export function conflictState<Shown>(first: Reading<Shown>, now: Reading<Shown>): ConflictState<Shown> {
  const isSame = JSON.stringify(first.shown) === JSON.stringify(now.shown);
  if (!isSame) return { basis: first, newer: now };
  return { basis: { shown: first.shown, version: now.version }, newer: undefined };
}
