import { expect, it } from 'vitest';
import { DumpLines } from './clean-output.ts';

function filtered(text: string, clean = true): string {
  const lines = new DumpLines(clean);
  return text
    .split('\n')
    .filter((line) => lines.keeps(line))
    .join('\n');
}

/** Statements without a line that is removed, although some lines within quoted text look like it. */
const body = String.raw`CREATE FUNCTION public.f() RETURNS text LANGUAGE sql AS $_$
-- a comment of the body

SET row_security = off;
select 'x'
$_$;
COMMENT ON TABLE public.a IS 'first line

-- third line, it''s';
CREATE VIEW public.v AS SELECT E'\\''
-- text
' AS x;
CREATE VIEW public.w AS SELECT E'it''s \' and
-- text of the same string
' AS x;
CREATE VIEW public.x AS SELECT 'E''\' AS x;
CREATE TRIGGER mine AFTER INSERT ON public.a FOR EACH ROW EXECUTE FUNCTION public.f();
COPY public.a (id, name) FROM stdin;
1	it's

-- not a comment
\.`;

const dump = String.raw`--
-- PostgreSQL database dump
--

\restrict aB3

SET statement_timeout = 0;
SET client_encoding = 'UTF8';
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE SCHEMA public;

${body.replace('\nCOMMENT', '\n\nCOMMENT')}

CREATE TRIGGER "notify_hasura_a_INSERT" AFTER INSERT ON public.a FOR EACH ROW EXECUTE FUNCTION f();
\unrestrict aB3
`;

it('removes comments, empty lines and the settings of the dump, and nothing within quoted text or rows', () => {
  expect(filtered(dump)).toBe(`SET check_function_bodies = false;\n${body}`);
});

it('removes commands of psql from a dump that is not cleaned, and nothing else', () => {
  const expected = dump
    .split('\n')
    .filter((line) => !/^\\(un)?restrict/.test(line))
    .join('\n');
  expect(filtered(dump, false)).toBe(expected);
});
