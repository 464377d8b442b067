/** Removes lines of the output of `pg_dump` that a migration does not need, line by line while the output is read. */

/** Settings of a dump that a migration must not change, and statements that fail in a database that exists. */
const preamble = [
  /^SET (?:statement_timeout|lock_timeout|idle_in_transaction_session_timeout|transaction_timeout) = 0;$/,
  /^SET client_encoding = 'UTF-?8';$/,
  /^SET standard_conforming_strings = on;$/,
  /^SELECT pg_catalog\.set_config\('search_path', '', false\);$/,
  /^SET xmloption = content;$/,
  /^SET client_min_messages = warning;$/,
  /^SET row_security = off;$/,
  /^SET default_tablespace = '';$/,
  /^SET default_with_oids = false;$/,
  /^SET default_table_access_method = heap;$/,
  /^CREATE SCHEMA public;$/,
  /^COMMENT ON SCHEMA public IS 'standard public schema';$/,
  // Triggers of Hasura v2, which it creates from the metadata.
  /^CREATE TRIGGER "?notify_hasura_.*;$/,
];

/** The start of a quoted text, or of a comment. */
const opening = /'|"|--|(?<![\w$\u0080-\uffff])\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/g;

/** Filters the lines of a dump. Lines within quoted text and within rows of `COPY` are never removed. */
export class DumpLines {
  readonly #clean: boolean;
  /** The end of the quoted text that the last line began. */
  #closing: RegExp | undefined;
  #inRows = false;

  constructor(clean: boolean) {
    this.#clean = clean;
  }

  /** Whether the next line, without its end, belongs to the result. */
  keeps(line: string): boolean {
    if (this.#inRows) {
      this.#inRows = line !== '\\.';
      return true;
    }
    const isOutside = this.#closing === undefined;
    // Commands of psql, which are not SQL.
    if (isOutside && /^\\(?:un)?restrict [A-Za-z0-9]+$/.test(line)) return false;
    if (isOutside && this.#clean && (line === '' || line.startsWith('--') || preamble.some((one) => one.test(line)))) {
      return false;
    }
    this.#scan(line);
    this.#inRows = isOutside && this.#closing === undefined && /^COPY .* FROM stdin;$/.test(line);
    return true;
  }

  #scan(line: string): void {
    let at = 0;
    for (;;) {
      if (this.#closing !== undefined) {
        this.#closing.lastIndex = at;
        const end = this.#closing.exec(line);
        if (end === null) return;
        at = end.index + end[0].length;
        this.#closing = undefined;
      }
      opening.lastIndex = at;
      const found = opening.exec(line);
      if (found === null || found[0] === '--') return;
      at = found.index + found[0].length;
      this.#closing = closingOf(found[0], /(?:^|[^\w$\u0080-\uffff])[Ee]$/.test(line.slice(0, found.index)));
    }
  }
}

/** Returns a pattern of the end of a quoted text. With `escapes`, a quote after a backslash does not end it. */
function closingOf(quote: string, escapes: boolean): RegExp {
  if (quote === '"') return /"/g;
  if (quote === "'") return escapes ? /(?<=(?:^|[^\\])(?:\\\\)*)'/g : /'/g;
  return new RegExp(quote.replaceAll('$', String.raw`\$`), 'g');
}
