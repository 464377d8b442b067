/** Strings that PostgreSQL can store. */
import { z } from 'zod';

/** PostgreSQL text cannot contain NUL; an unpaired surrogate would be stored as another character. */
export const StorableText = z
  .string()
  .refine((text) => !text.includes('\0'), { message: 'must not contain a NUL character' })
  .refine((text) => !/\p{Surrogate}/u.test(text), { message: 'must not contain half of a surrogate pair' });

/** Whether all strings of a JSON value, and the names of its members, are storable. */
export function isStorable(value: unknown): boolean {
  if (typeof value === 'string') return StorableText.safeParse(value).success;
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every(isStorable);
  return Object.entries(value).every(([name, member]) => isStorable(name) && isStorable(member));
}
