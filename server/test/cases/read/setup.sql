create extension citext;
create extension ltree;
create type article_status as enum ('draft', 'review', 'published');
create domain positive as int check (value > 0);

create table author (
  id int primary key,
  name text not null,
  email citext,
  mentor_id int references author,
  born date,
  balance numeric(20, 4),
  karma bigint,
  active boolean
);

create table article (
  id int primary key,
  author_id int references author,
  title text not null,
  status article_status not null default 'draft',
  rating float8,
  words positive,
  published_at timestamptz,
  meta jsonb,
  notes json,
  tags text[],
  scores int[],
  slug uuid,
  validity daterange,
  source inet,
  reading interval,
  cover bytea,
  path ltree,
  at time
);

create table review (
  id int primary key,
  article_id int not null references article,
  author_id int references author,
  stars smallint not null,
  body text,
  approved boolean not null
);

create view author_stats as
  select a.id as author_id, count(r.id) as articles, avg(r.rating) as mean
  from author a left join article r on r.author_id = a.id
  group by a.id;

create schema press;
create table press."Printed Issue" (
  "Number" int,
  "volume no." int,
  "group" text,
  primary key ("Number", "volume no.")
);

insert into author values
  (1, 'Ada', 'Ada@Example.org', null, '1815-12-10', 1234567890123456.7890, 9007199254740993, true),
  (2, 'Bob', 'bob@example.org', 1, '1970-01-01', -5, -1, false),
  (3, 'Cy%l_', null, 1, null, null, null, null),
  (4, 'dora', 'dora@example.org', 2, '2000-02-29', 0.1, 0, true);

insert into article values
  (1, 1, 'Engines', 'published', 4.5, 1200, '2024-01-01 10:00:00+00', '{"a": {"b": [10, 20]}, "kind": "essay", "n": 1.50}',
    '{"z":1, "a":  2}', '{math,history}', '{3,1}', '00000000-0000-4000-8000-000000000001', '[2024-01-01,2024-06-01)',
    '10.0.0.1/8', '1 hour 30 minutes', '\x00ff', 'top.science.math', '10:30'),
  (2, 1, 'Numbers', 'review', null, 800, null, '{"kind": "note"}', null, '{math}', '{}', '00000000-0000-4000-8000-000000000002',
    '[2024-03-01,)', '192.168.1.5', '45 minutes', null, 'top.science', '22:00'),
  (3, 2, 'Gardens', 'published', 3, null, '2024-02-01 12:30:00.123456+02', '[1, 2]', '"text"', '{}', null, null, 'empty',
    null, null, '\x', 'top.hobby', null),
  (4, 4, 'drafts', 'draft', 'NaN', 1, 'infinity', 'null', 'null', null, '{5,null}', null, null, '::1', '-1 day', null, null, '00:00'),
  (5, null, 'Orphan', 'published', 1e300, 50, '2023-12-31 23:59:59+00', null, null, '{history,"a b"}', '{1,2,3}', null, null, null, null,
    null, 'other', null);

insert into review values
  (1, 1, 2, 5, 'Great', true),
  (2, 1, 4, 3, null, true),
  (3, 1, 3, 1, 'No', false),
  (4, 2, 4, 4, 'Fine', true),
  (5, 3, null, 2, 'Hm', true),
  (6, 5, 1, 5, 'Good', false),
  (7, 4, 4, 5, 'My own', true);

insert into press."Printed Issue" values (1, 1, 'x'), (1, 2, null), (2, 1, 'y');
