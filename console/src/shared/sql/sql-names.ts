/** Names and strings as SQL writes them. Pure. */

/** The keywords that PostgreSQL reserves, as names of columns, tables, functions or types. */
const reserved = new Set(
  `all analyse analyze and any array as asc asymmetric authorization between bigint binary bit boolean both case cast char
  character check coalesce collate collation column concurrently constraint create cross current_catalog current_date
  current_role current_schema current_time current_timestamp current_user dec decimal default deferrable desc distinct do else
  end except exists extract false fetch float for foreign freeze from full grant greatest group grouping having ilike in
  initially inner inout int integer intersect interval into is isnull join json json_array json_arrayagg json_exists json_object
  json_objectagg json_query json_scalar json_serialize json_table json_value lateral leading least left like limit localtime
  localtimestamp merge_action national natural nchar none normalize not notnull null nullif numeric offset on only or order out
  outer overlaps overlay placing position precision primary real references returning right row select session_user setof
  similar smallint some substring symmetric system_user table tablesample then time timestamp to trailing treat trim true union
  unique user using values varchar variadic verbose when where window with xmlattributes xmlconcat xmlelement xmlexists
  xmlforest xmlnamespaces xmlparse xmlpi xmlroot xmlserialize xmltable`.split(/\s+/),
);

/** Returns `total`, or `"Total"` where PostgreSQL would read another name. */
export function sqlName(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) && !reserved.has(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

/** Returns `shop."order"`. */
export function qualifiedName({ schema, name }: { readonly schema: string; readonly name: string }): string {
  return `${sqlName(schema)}.${sqlName(name)}`;
}

/** Returns `id, "Total"`. */
export function nameList(names: readonly string[]): string {
  return names.map(sqlName).join(', ');
}

/** Returns a string literal that does not depend on `standard_conforming_strings`. */
export function sqlText(text: string): string {
  const quoted = `'${text.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`;
  return text.includes('\\') ? `E${quoted}` : quoted;
}
