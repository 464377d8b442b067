/** Errors in the metadata, and members of it that have no effect. */
import type { ErrorCode } from '../../base/errors.ts';

/** An object of the metadata that is not usable and was dropped, or a member without effect. */
export interface Inconsistency {
  /** `source`, `table`, `object_relation`, `array_relation`, `select_permission`, `remote_relationship`, `action`, ... */
  readonly type: string;
  /** A unique, readable name such as `table orders in source default`. */
  readonly name: string;
  /** The JSON path in the metadata, to the object or a part of it: `$.sources[0].tables[3].select_permissions[1].permission`. */
  readonly path: string;
  readonly code: ErrorCode;
  /** The error and how to fix it. Names the dropped object that is the cause, if any. */
  readonly reason: string;
  /** The object in the metadata. */
  readonly definition: unknown;
  /** Whether the metadata with it is accepted: commands that cause it succeed with a warning, and nothing removes the object. */
  readonly accepted?: true;
}

/** The type of inconsistencies for members without effect, for which nothing was dropped. */
export const UNSUPPORTED = 'unsupported';

/** Whether an object was dropped or is not usable. */
export function isBroken({ type }: Inconsistency): boolean {
  return type !== UNSUPPORTED;
}

/** Whether it only informs, as of a column without a GraphQL name: the metadata is consistent with it. */
export function isNotice(one: Inconsistency): boolean {
  return !isBroken(one) && one.accepted === true;
}

/** Whether the metadata is not accepted with it, unless the caller allows inconsistent metadata. */
export function isRejected(one: Inconsistency): boolean {
  return isBroken(one) && one.accepted === undefined;
}
