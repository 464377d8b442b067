/** Removes lines of the output of `pg_dump` that a migration does not need, line by line while the output is read. */
import { endOfEscapeString } from '@joinery/metadata/sql/statements';

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
  /** Matches the rest of the quoted text that the last line began, from the current position. */
  #closing: Closing | undefined;
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
        const end = this.#closing(line, at);
        if (end === undefined) return;
        at = end;
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

/** Returns the position after the quoted text that continues at `from`; undefined if the line does not end it. */
type Closing = (line: string, from: number) => number | undefined;

function closingOf(quote: string, escapes: boolean): Closing {
  if (quote === "'" && escapes) return endOfEscapeString;
  const isDoubled = quote.length === 1;
  return (line, from) => {
    let end = line.indexOf(quote, from);
    while (end !== -1 && isDoubled && line[end + 1] === quote) end = line.indexOf(quote, end + 2);
    return end === -1 ? undefined : end + quote.length;
  };
}
