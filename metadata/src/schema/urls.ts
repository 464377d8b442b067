/** URLs of webhooks, handlers and remote schemas as written. */
import { z } from 'zod';

/** URL parsers remove some of these, so that another URL would be called. The HTTP client rejects all of them. */
const controlCharacter = /\p{Cc}/u;

/**
 * A URL that may contain `{{NAME}}` templates, and white space at its end, as a block of YAML does. Whether it can be called
 * depends on the values of the templates.
 */
export const UrlTemplate = z
  .string()
  .refine((url) => !controlCharacter.test(url.trimEnd()), 'must not contain a line break or another control character');
