/** Errors in the metadata, and members of it that have no effect. */
import type { ErrorCode } from '../../base/errors.ts';

/** A written object that could not be used. It alone was dropped. */
export interface Inconsistency {
  /** `source`, `table`, `object_relation`, `array_relation`, `select_permission`, `remote_relationship`, `action`, ... */
  readonly type: string;
  /** Human-readable and unique, such as `table orders in source default`. */
  readonly name: string;
  /** JSON path into the metadata, to the object or into it: `$.sources[0].tables[3].select_permissions[1].permission`. */
  readonly path: string;
  readonly code: ErrorCode;
  /** What is wrong and what to do. When a dropped object is the cause, it is named. */
  readonly reason: string;
  /** The object as written. */
  readonly definition: unknown;
}

/** The type of inconsistencies that say that a member has no effect. Nothing was dropped for them. */
export const UNSUPPORTED = 'unsupported';

/** Whether something that the metadata describes cannot be used, or was dropped. */
export function isBroken({ type }: Inconsistency): boolean {
  return type !== UNSUPPORTED;
}
