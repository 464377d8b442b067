/** Detects that the metadata of an open form changed elsewhere. */
import { useState } from 'react';

/** A part of the metadata with the resource version that it was read from. */
export interface Reading<Shown> {
  readonly shown: Shown;
  readonly version: number | undefined;
}

export interface ConflictState<Shown> {
  /**
   * The values that the form was opened with. A save that names this version fails with a conflict when the metadata
   * changed.
   */
  readonly basis: Reading<Shown>;
  /**
   * The current values when they changed elsewhere, to be overwritten on demand. Undefined while they are unchanged.
   */
  readonly newer: Reading<Shown> | undefined;
}

interface OpenForm<Shown> extends ConflictState<Shown> {
  /** Rebases the form on other values, for forms that stay open after a save. */
  readonly reopen: (reading: Reading<Shown>) => void;
}

/** `shown` are the current values that the form edits, read from `version` of the metadata. */
export function useEditConflict<Shown>(shown: Shown, version: number | undefined): OpenForm<Shown> {
  const now = { shown, version };
  const [first, reopen] = useState<Reading<Shown>>(now);
  return { ...conflictState(first, now), reopen };
}

/**
 * Changes of other parts of the metadata advance the version. Only the values that the form shows must not be
 * overwritten.
 */
export function conflictState<Shown>(first: Reading<Shown>, now: Reading<Shown>): ConflictState<Shown> {
  const isSame = JSON.stringify(first.shown) === JSON.stringify(now.shown);
  if (!isSame) return { basis: first, newer: now };
  return { basis: { shown: first.shown, version: now.version }, newer: undefined };
}
