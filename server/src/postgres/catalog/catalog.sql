-- Reads the catalog of a database as one row of JSON columns. Each column is an array of rows, and a row is an array in
-- the order that catalog.ts reads. Rows refer to others by position and oid, and catalog.ts looks up their names. Oids
-- are cast, because JSON would contain them as strings.
-- To read a single table, catalog-row.ts replaces comments such as `of the table` by conditions.
-- Works on PostgreSQL 12 to 18. 1,000 tables of 20 columns with keys and comments take 0.15 s here and 0.04 s to parse,
-- most of both for the columns.
with
namespaces as materialized (
  select oid, nspname
  from pg_catalog.pg_namespace
  where nspname not in ('pg_catalog', 'information_schema', 'joinery')
    and nspname not like 'pg\_toast%' and nspname not like 'pg\_temp\_%'
),
relations as materialized (
  select
    c.oid, c.relname, c.relkind, n.nspname,
    -- Bits 2 to 4: update, insert, delete; bit 5: the table may have children, whose keys are their own. Called only if the result is not known, because the function locks the relation
    -- and fails for a foreign table, or a view on one, whose wrapper cannot be loaded; catalog-row.ts then omits the call.
    case c.relkind
      when 'r' then case when c.relhassubclass then 60 else 28 end
      when 'p' then 28
      when 'm' then 0
      else pg_catalog.pg_relation_is_updatable(c.oid, true)
    end as changes
  from pg_catalog.pg_class c
  join namespaces n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f') /* the table */
),
-- Views whose SQL calls a volatile function, directly or through other views. The text of a rule has the oids of all
-- functions, also of those of operators, as `funcid 1598 `; pg_depend has no rows for built-in functions.
reached_views as materialized (
  with recursive reached as (
    select oid as root, oid as view from relations where relkind = 'v'
    union
    select v.root, c.oid
    from reached v
    join pg_catalog.pg_rewrite w on w.ev_class = v.view
    join pg_catalog.pg_depend d
      on d.classid = 'pg_catalog.pg_rewrite'::regclass and d.objid = w.oid and d.refclassid = 'pg_catalog.pg_class'::regclass
    join pg_catalog.pg_class c on c.oid = d.refobjid and c.relkind = 'v'
  )
  select root, view from reached
),
volatile_views as materialized (
  select v.root
  from reached_views v
  where v.view in (
    select w.ev_class
    from pg_catalog.pg_rewrite w
    -- Splitting takes a quarter of the time of a regular expression. Each part but the first begins with an oid and a space.
    cross join lateral unnest(string_to_array(w.ev_action::text, 'funcid ')) as part (text)
    where w.ev_class in (select view from reached_views)
      and split_part(left(part.text, 11), ' ', 1) in (select oid::text from pg_catalog.pg_proc where provolatile = 'v')
  )
),
comments as materialized (
  select objoid, classoid, objsubid, description
  from pg_catalog.pg_description
  where classoid in ('pg_catalog.pg_class'::regclass, 'pg_catalog.pg_proc'::regclass)
    and objoid >= 16384 /* of the table */
),
-- Columns that may contain nulls although they are marked not null: the constraint was added as not valid (18 and up).
unproven as materialized (
  select conrelid, conkey[1] as attnum
  from pg_catalog.pg_constraint
  where contype = 'n' and not convalidated /* on the table */
),
columns as materialized (
  select
    a.attrelid, a.attname, a.attnum, a.atttypid, a.attgenerated, a.attidentity,
    not ((a.attnotnull and u.attnum is null or t.typnotnull) and r.relkind not in ('v', 'm')) as nullable,
    (a.atthasdef and a.attgenerated = '') or t.typdefault is not null as has_default,
    d.description
  from relations r
  join pg_catalog.pg_attribute a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  join pg_catalog.pg_type t on t.oid = a.atttypid
  left join comments d
    on d.objoid = a.attrelid and d.objsubid = a.attnum and d.classoid = 'pg_catalog.pg_class'::regclass
  left join unproven u on u.conrelid = a.attrelid and u.attnum = a.attnum
),
keys as materialized (
  select k.conrelid, k.conname, k.contype, k.conkey, k.confrelid, k.confkey, k.condeferrable
  from relations r
  join pg_catalog.pg_constraint k on k.conrelid = r.oid and k.contype in ('p', 'u', 'f')
  -- A foreign key to a partitioned table has further rows, one for each partition there.
  left join pg_catalog.pg_constraint parent on parent.oid = k.conparentid
  where parent.conrelid is distinct from k.conrelid
),
functions as materialized (
  select
    p.oid, p.proname, n.nspname, p.provolatile, p.proretset, p.prorettype, p.pronargdefaults,
    p.provariadic <> 0 as is_variadic, p.proargnames, p.proargmodes,
    coalesce(p.proallargtypes, p.proargtypes::oid[]) as types,
    d.description
  from pg_catalog.pg_proc p
  join namespaces n on n.oid = p.pronamespace
  left join comments d on d.objoid = p.oid and d.classoid = 'pg_catalog.pg_proc'::regclass
  where p.prokind = 'f' /* no function */
    and p.prorettype not in ('pg_catalog.trigger'::regtype, 'pg_catalog.event_trigger'::regtype)
    and not exists (
      select from pg_catalog.pg_depend e
      where e.classid = 'pg_catalog.pg_proc'::regclass and e.objid = p.oid and e.deptype = 'e'
    )
),
used as (
  select atttypid as oid from columns
  union select prorettype from functions
  union select unnest(types) from functions
),
-- Includes element types of arrays and base types of domains at any depth.
types as materialized (
  with recursive reached as (
    select oid from used
    union
    select part.oid
    from reached r
    join pg_catalog.pg_type t on t.oid = r.oid
    cross join lateral (values (t.typelem), (t.typbasetype)) as part (oid)
    where part.oid <> 0
  )
  select
    t.oid, t.typname, n.nspname, t.typtype, t.typcategory, t.typrelid, t.typbasetype,
    case when e.typarray = t.oid then t.typelem end as element,
    x.extname
  from reached r
  join pg_catalog.pg_type t on t.oid = r.oid
  join pg_catalog.pg_namespace n on n.oid = t.typnamespace
  left join pg_catalog.pg_type e on e.oid = t.typelem
  left join pg_catalog.pg_depend d
    on d.classid = 'pg_catalog.pg_type'::regclass and d.objid = t.oid and d.objsubid = 0 and d.deptype = 'e'
  left join pg_catalog.pg_extension x on x.oid = d.refobjid
)
select
  pg_catalog.current_setting('server_version_num') as version,
  (
    select json_agg(json_build_array(
      r.oid::bigint, r.nspname, r.relname, r.relkind, r.changes, d.description, r.oid in (select root from volatile_views)
    ))
    from relations r
    left join comments d on d.objoid = r.oid and d.objsubid = 0 and d.classoid = 'pg_catalog.pg_class'::regclass
  ) as relations,
  (
    select json_agg(
      json_build_array(
        attrelid::bigint, attname, attnum, atttypid::bigint, nullable, has_default, attgenerated, attidentity,
        description
      )
      order by attrelid, attnum
    )
    from columns
  ) as columns,
  (
    select json_agg(
      json_build_array(conrelid::bigint, conname, contype, conkey, confrelid::bigint, confkey, condeferrable)
      order by conrelid, conname
    )
    from keys
  ) as keys,
  (
    select json_agg(
      json_build_array(
        oid::bigint, nspname, proname, provolatile, proretset, prorettype::bigint, types::bigint[], proargmodes,
        proargnames, pronargdefaults, is_variadic, description
      )
      order by oid
    )
    from functions
  ) as functions,
  (
    select json_agg(
      json_build_array(
        oid::bigint, nspname, typname, typtype, typcategory, typrelid::bigint, typbasetype::bigint, element::bigint,
        extname
      )
    )
    from types
  ) as types,
  (
    select json_agg(json_build_array(enumtypid::bigint, enumlabel) order by enumtypid, enumsortorder)
    from pg_catalog.pg_enum
    where enumtypid in (select oid from types)
  ) as labels,
  (
    select json_agg(json_build_array(x.extname, n.nspname))
    from pg_catalog.pg_extension x
    join pg_catalog.pg_namespace n on n.oid = x.extnamespace
  ) as extensions,
  -- 2077 and 3294 are the oids of current_setting. `prosqlbody` is a column since 14.
  (
    exists (
      select from pg_catalog.pg_proc p join namespaces n on n.oid = p.pronamespace
      where p.prosrc ~ 'hasura\.(user|tracecontext)'
        or p.prosrc = '' and to_jsonb(p) ->> 'prosqlbody' ~ ':funcid (2077|3294) '
    )
    -- Event triggers store the session with each event.
    or exists (
      select from pg_catalog.pg_trigger t join relations r on r.oid = t.tgrelid
      where t.tgname ~ '^joinery_\d+_(insert|update|delete)$'
    )
    or exists (
      select from pg_catalog.pg_attrdef d join relations r on r.oid = d.adrelid
      where d.adbin::text ~ ':funcid (2077|3294) '
    )
    or exists (
      select from pg_catalog.pg_policy p join relations r on r.oid = p.polrelid
      where concat(p.polqual::text, p.polwithcheck::text) ~ ':funcid (2077|3294) '
    )
  ) as reads_session
