/** What was read again takes over the parts that are as they were, unless that would cost digits. Pure. */
import { replaceEqualDeep } from '@tanstack/react-query';

/** For `structuralSharing`: a copy of a number that is kept as raw JSON is none, see `parseExactly`. */
export function shareStructure(before: unknown, read: unknown): unknown {
  return holdsRaw(read) ? read : replaceEqualDeep(before, read);
}

const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean };

/** `isRaw` is that of the browser; older ones have none, and read no raw JSON. */
export function holdsRaw(value: unknown, isRaw: (value: unknown) => boolean = isRawJSON ?? (() => false)): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isRaw(value)) return true;
  if (Array.isArray(value)) return value.some((item) => holdsRaw(item, isRaw));
  return (
    Object.getPrototypeOf(value) === Object.prototype && Object.values(value).some((item) => holdsRaw(item, isRaw))
  );
}
