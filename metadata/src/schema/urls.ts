/** URLs of webhooks, handlers and remote schemas as written. */
import { z } from 'zod';

// biome-ignore lint/suspicious/noControlCharactersInRegex: URL parsers remove some of these, so that another URL is called.
const controlCharacter = /[\u0000-\u001f\u007f]/;

/**
 * A URL that may contain `{{NAME}}` templates, and white space at its end, as a block of YAML does. Whether it can be called
 * depends on the values of the templates.
 */
export const UrlTemplate = z
  .string()
  .refine((url) => !controlCharacter.test(url.trimEnd()), 'must not contain a line break or another control character');
