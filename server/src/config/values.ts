/** Parsers of option values. */
import { isIP } from 'node:net';
import { z } from 'zod';

export const text = z.string().min(1, 'must not be empty');

export const flag = z
  .string()
  .regex(/^(true|false|t|f|1|0|yes|no|y|n)$/i, 'must be true or false')
  .transform((written) => /^(true|t|1|yes|y)$/i.test(written));

/** Returns the parser of an integer between `least` and `most`, both included. */
export function whole(least: number, most: number): z.ZodType<number, string> {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`));
}

export const port = z
  .string()
  .regex(/^\d{1,5}$/, 'must be a port number')
  .transform(Number)
  .pipe(z.int().min(0).max(65_535));

/** Returns the parser of a list of at least one of these names, separated by commas. */
export function listOf<const Name extends string>(names: readonly Name[]): z.ZodType<readonly Name[], string> {
  return parts.pipe(z.array(z.enum(names)).min(1, `must name at least one of ${names.join(', ')}`));
}

const parts = z.string().transform((written) =>
  written
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== ''),
);

export const ranges = parts.refine(
  (written) => written.every(isRange),
  'must be addresses or ranges such as 10.0.0.0/8, separated by commas',
);

/** Whether the text is an address or a range: `10.0.0.0/8`, `127.0.0.1`, `::1/128`. */
function isRange(written: string): boolean {
  const [address = '', bits, more] = written.split('/');
  const family = isIP(address);
  return (
    family !== 0 &&
    more === undefined &&
    (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128)))
  );
}
