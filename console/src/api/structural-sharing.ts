/** Structural sharing for query results that preserves raw JSON numbers. Pure. */
import { replaceEqualDeep } from '@tanstack/react-query';

/** For `structuralSharing`. Raw JSON numbers cannot be copied, see `parseExactly`. */
export function shareStructure(before: unknown, read: unknown): unknown {
  return holdsRaw(read) ? read : replaceEqualDeep(before, read);
}

const { isRawJSON } = JSON as { readonly isRawJSON?: (value: unknown) => boolean };

/** Whether a value contains raw JSON. Browsers without `JSON.isRawJSON` have none. */
export function holdsRaw(value: unknown, isRaw: (value: unknown) => boolean = isRawJSON ?? (() => false)): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (isRaw(value)) return true;
  if (Array.isArray(value)) return value.some((item) => holdsRaw(item, isRaw));
  return (
    Object.getPrototypeOf(value) === Object.prototype && Object.values(value).some((item) => holdsRaw(item, isRaw))
  );
}
